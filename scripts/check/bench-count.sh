#!/usr/bin/env bash
# Counts instructions, and compares them with the budgets in Benchmarks/budgets.txt.
# usage: bench-count.sh [NAME...]     only these lines; a name may be a pattern, such as list-*
#
# A count does not measure time, but it is the same on a busy machine. Most budgets are ratios: patchpack's instructions divided
# by the instructions of the same work in C on the same libraries. Both are built and counted in the same run, so another compiler
# or library changes both. Work without such a floor is counted in thousands of instructions. Memory is counted in megabytes of
# 1,000 KiB, the memory of a loaded patch in KiB, and page faults as they are.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C SWIFT_BACKTRACE=enable=no
# OpenSSL chooses code by processor, and Swift hashes with a random seed. These settings make both the same in each run.
export OPENSSL_ia32cap=:0 SWIFT_DETERMINISTIC_HASHING=1

if [ "$(uname)" = Darwin ]; then
  echo "bench-count: there is no callgrind here; not counted"
  exit 0
fi
budgets=Benchmarks/budgets.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# callgrind cannot read the newest debug information
for program in .build/release/patchpack .build/packages/release/benchmarks .build/packages/release/floor; do
  [ ! -e "$program" ] || strip --strip-debug -o "$work/$(basename "$program")" "$program" # most rows of the tool need no benchmarks
done
patchpack=$work/patchpack floor=$work/floor benchmarks=$work/benchmarks

count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >"$work/out" 2>"$work/log" ||
    { tail -n 20 "$work/out" "$work/log" >&2 && return 1; }
  sed -n 's/.*Collected : //p' "$work/log" | grep .
}

# The instructions of one call: the difference between runs with few and with many calls.
each() {
  local few many
  few=$(count "$benchmarks" count "$1" "$2")
  many=$(count "$benchmarks" count "$1" $(($2 + $3)))
  echo $(((many - few + $3 / 2) / $3))
}

# The instructions for one file in a process with many: `files WAY PROGRAM ARGUMENTS...`, with the files after the arguments.
files() {
  local few many
  few=$(count "${@:2}" "$work/$1/1".*)
  many=$(count "${@:2}" "$work/$1"/*.*)
  echo $(((many - few) / 20))
}

# A measurement of a run of a command: 2 for the peak memory in kilobytes, 3 for the page faults. It is the median of five runs,
# because the placement of memory differs between runs.
measured() { for _ in 1 2 3 4 5; do "$floor" measure "${@:2}" | cut -d' ' -f"$1"; done | sort -n | sed -n 3p; }

# The instructions for launching an app with a number of good patches, each with its confirmation.
# Without patches, the work of a process apart from its launches differs by as much as a third of a launch.
launch() (cd "$work" && ./benchmarks prepare "$patchpack" "$1" && each "launch-$1" 2 $(($1 == 0 ? 60 : 10)))

# Writes scripts of 4 KiB: `scripts FOLDER COUNT`.
scripts() {
  mkdir "$1"
  local comment number
  comment=$(head -c 3900 /dev/zero | tr '\0' '-' | sed 's/.\{79\}/&\n/g')
  for number in $(seq "$2"); do
    printf '%s\n' "-- @patch com.example.count$number" '-- @version 1' '-- @app com.example.app' '-- @replaces Bench.f' \
      "patch.replace(\"Bench.f\", function(original, x) return original(x) + $number end)" "$comment" >"$1/$number.lua"
  done
}

# Makes an empty feed and envelopes for it, and sets `publish` to the command that publishes them and `trusted` to the options for
# their keys: `feed FOLDER COUNT`.
feed() {
  local role
  scripts "$1" "$2"
  trusted=(--trusted-key "$work/keys-ed25519/trusted.pem" --script-key "$work/keys-ed25519/script.key")
  for role in root release online; do "$patchpack" keygen -q --profile modern -o "$1/$role"; done
  "$patchpack" pack "$1"/*.lua -q --no-lint -o "$1/packed" --signing-key "$work/keys-ed25519/signing.pem" "${trusted[@]}"
  "$patchpack" feed init "$1/feed" -q --app com.example.app --root-key "$1/root/signing.pem" --release-key "$1/release/signing.pem" \
    --online-key "$1/online/signing.pem"
  publish=("$patchpack" feed publish "$1/feed" "$1"/packed/*.js --rollout 100% -q --key "$1/release/signing.pem" --key "$1/online/signing.pem"
    "${trusted[@]}")
}

# The instructions for a sync of a device that already has all patches of a feed: `unchanged PATCHES`.
unchanged() {
  local folder=$work/sync-$1 publish trusted
  feed "$folder" "$1"
  "${publish[@]}"
  local sync=("$patchpack" sync "$folder/feed" --store "$folder/store" --app com.example.app --app-version 1
    --root "$folder/feed/metadata/1.root.json" --no-launch -q "${trusted[@]}")
  "${sync[@]}" && "${sync[@]}" && count "${sync[@]}"
}

# The instructions of an action of `feed` on a list of patches: `listed ACTION PATCHES`. Changes are of half of the list.
listed() {
  local folder=$work/listed-$2 now=$work/listed-$2/now signing half publish trusted action
  if [ ! -d "$folder" ]; then
    feed "$folder" "$2"
    cp -R "$folder/feed" "$folder/empty"
    "${publish[@]}"
  fi
  signing=(--key "$folder/release/signing.pem" --key "$folder/online/signing.pem")
  mapfile -t half < <(seq "$(($2 / 2))" | sed 's/^/com.example.count/')
  # The file beside a key records the versions that it has signed.
  rm -rf "$now" "$folder"/*/*.signed
  cp -R "$folder/$([ "$1" = publish ] && echo empty || echo feed)" "$now"
  action=("$patchpack" feed "$1" "$now")
  case $1 in
  publish) action=("${publish[@]}") && action[3]=$now ;;
  withdraw | prune) action+=("${half[@]}" "${signing[@]}") ;;
  set) action+=(--minimum-app-version 1 "${signing[@]}") ;;
  undo)
    "$patchpack" feed withdraw "$now" "${half[@]}" -q "${signing[@]}"
    action+=(--to 2 --yes "${signing[@]}")
    ;;
  diff) action+=("$folder/empty") ;;
  preview) action+=(--app-version 1) ;;
  deploy) action+=(--to "$folder/deployed") && rm -rf "$folder/deployed" ;;
  esac
  count "${action[@]}"
}

# The peak memory of publishing patches in an empty feed, in kilobytes: `published PATCHES`.
published() {
  local folder=$work/published publish trusted
  feed "$folder" "$1"
  mv "$folder/feed" "$folder/empty"
  # The file beside a key records the versions that it has signed.
  # shellcheck disable=SC2016 # the inner shell expands these
  measured 2 sh -c 'rm -rf "$0"/feed "$0"/*/*.signed && cp -R "$0"/empty "$0"/feed && exec "$@"' "$folder" "${publish[@]}"
}

# Twenty-one scripts and their envelopes.
scripts "$work/scripts" 21
for algorithm in rsa ed25519; do
  "$patchpack" keygen -q --profile mpaas -o "$work/keys-$algorithm"
  [ $algorithm = rsa ] || "$patchpack" keygen -q --profile modern --signing-only --force -o "$work/keys-$algorithm"
  "$patchpack" pack "$work"/scripts/*.lua -q --no-lint -o "$work/envelopes-$algorithm" \
    --signing-key "$work/keys-$algorithm/signing.pem" --script-key "$work/keys-$algorithm/script.key"
done

# A script of 7 MiB.
{
  cat "$work/scripts/1.lua"
  head -c $((7 << 20)) /dev/zero | tr '\0' '-' | sed 's/.\{79\}/&\n/g'
  echo
} >"$work/large.lua"
"$patchpack" pack "$work/large.lua" -q --no-lint -o "$work/large.js" --signing-key "$work/keys-rsa/signing.pem" \
  --script-key "$work/keys-rsa/script.key"

# Scripts with 5 KB of code, and one line of 60 KB with more findings than the limit.
code() {
  [ ! -d "$work/code" ] || return 0
  "$benchmarks" scripts "$work/code" 21
  {
    sed -n 1,4p "$work/code/1.lua"
    printf 'patch.replace("Bench.f", function(original, x) '
    for _ in $(seq 4000); do printf 'if #x then end '; done
    echo 'return original(x) end)'
  } >"$work/line.lua"
}

# The counts for packing each script of a folder: `packed FOLDER ALGORITHM OPTION...`.
packed() {
  local pair=(--signing-key "$work/keys-$2/signing.pem" --script-key "$work/keys-$2/script.key")
  rm -rf "$work/packed" && mkdir "$work/packed"
  echo "$(files "$1" "$patchpack" pack --jobs 1 "${@:3}" --force -o "$work/packed" "${pair[@]}")" \
    "$(files "$1" "$floor" pack-and-verify "${pair[1]}" "${pair[3]}" "$work/packed")"
}

# The counts for a name: patchpack's instructions and the floor's; 0 if there is no floor.
measure() {
  local keys=$work/keys-${1#*-} rsa=$work/keys-rsa ed25519=$work/keys-ed25519
  local large=("$patchpack" verify --jobs 1 --trusted-key "$rsa/trusted.pem" --script-key "$rsa/script.key" "$work/large.js")
  case $1 in
  start-up) echo "$(count "$patchpack" --version) 0" ;;
  verify-rsa | verify-ed25519)
    echo "$(files "envelopes-${1#*-}" "$patchpack" verify --jobs 1 --trusted-key "$keys/trusted.pem" --script-key "$keys/script.key")" \
      "$(files "envelopes-${1#*-}" "$floor" verify "$keys/trusted.pem" "$keys/script.key")"
    ;;
  pack-rsa | pack-ed25519) packed scripts "${1#*-}" --no-lint ;;
  pack-code) code && packed code ed25519 ;;
  verify-large) echo "$(count "${large[@]}") $(count "$floor" verify "$rsa/trusted.pem" "$rsa/script.key" "$work/large.js")" ;;
  memory-verify-large) echo "$(measured 2 "${large[@]}") 0" ;;
  memory-loaded) echo "$(($(measured 2 "$benchmarks" count loaded 1010) - $(measured 2 "$benchmarks" count loaded 10))) 0" ;;
  memory-pack)
    [ -d "$work/many" ] || scripts "$work/many" 2000
    echo "$(measured 2 "$patchpack" pack -q --jobs 1 --no-lint --force -o "$work/packed-many" --signing-key "$ed25519/signing.pem" \
      --script-key "$ed25519/script.key" --recursive "$work/many") 0"
    ;;
  memory-publish) echo "$(published 2000) 0" ;;
  faults-verify)
    echo "$(($(measured 3 "$patchpack" verify --trusted-key "$rsa/trusted.pem" --script-key "$rsa/script.key" \
      "$work/envelopes-rsa/1.js") * 1000)) 0"
    ;;
  faults-start-up) echo "$(($(measured 3 "$patchpack" --version) * 1000)) 0" ;;
  lint) code && echo "$(files code "$patchpack" lint --jobs 1) 0" ;;
  lint-line) code && echo "$(count "$patchpack" lint "$work/line.lua") 0" ;;
  list-publish) echo "$(listed publish 400) $(listed publish 100)" ;;
  list-*) echo "$(listed "${1#*-}" 4000) $(listed "${1#*-}" 1000)" ;;
  launch-*) echo "$(launch "${1#*-}") 0" ;;
  sync-*) echo "$(unchanged "${1#*-}") 0" ;;
  *)
    # The work of a process apart from its calls differs by a few thousand instructions between runs.
    local few=100 more=50000
    case $1 in
    load) few=5 more=200 ;;
    dictionary) more=2000 ;;
    strings | struct | codable) more=10000 ;;
    esac
    echo "$(each "$1" $few $more) $(each "floor-$1" $few $more)"
    ;;
  esac
}

chosen="@($(IFS='|' && echo "${*:-*}"))"
failed=0
while read -r name budget reason; do
  case $name in '' | '#'*) continue ;; esac
  # shellcheck disable=SC2053 # a pattern
  [[ $name == $chosen ]] || continue
  read -r ours theirs < <(measure "$name")
  [[ $ours -gt 0 && -n $theirs ]] || { echo "bench-count: $name was not counted" >&2 && failed=1 && continue; }
  value=$(awk -v a="$ours" -v b="$theirs" 'BEGIN { if (b > 0) printf "%.3f", a / b; else printf "%.0f", a / 1000 }')
  echo "$name $value of $budget  ($ours$([ "$theirs" = 0 ] || echo ", floor $theirs"))"
  if awk -v a="$value" -v b="$budget" 'BEGIN { exit !(a > b) }'; then
    echo "bench-count: $name is over its budget of $budget ($reason): see where, or give it more in $budgets with a reason" >&2
    failed=1
  elif awk -v a="$value" -v b="$budget" 'BEGIN { exit !(a < b * 0.95) }'; then
    echo "bench-count: $name is 5 percent under its budget: lower it in $budgets" >&2
  fi
done <$budgets
exit $failed
