#!/usr/bin/env bash
# Counts the instructions of operations that must not become slower, and compares the counts with Benchmarks/counts.txt.
# usage: bench-count.sh; UPDATE=1 in the environment stores the new counts.
#
# A count does not measure time, but it is the same on a busy machine. It depends on the compiler and the libraries. If they
# are not those named in the file, the counts are printed but not compared.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C SWIFT_BACKTRACE=enable=no
# OpenSSL chooses code by processor; this makes it the same on every one.
export OPENSSL_ia32cap=:0

if [ "$(uname)" = Darwin ]; then
  echo "bench-count: there is no callgrind here; not counted"
  exit 0
fi
counts=Benchmarks/counts.txt
allowed=3 # percent
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# callgrind cannot read the newest debug information
for program in .build/release/patchpack Benchmarks/.build/release/benchmarks; do
  strip --strip-debug -o "$work/$(basename "$program")" "$program"
done

count() {
  if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >"$work/out" 2>"$work/log"; then
    tail -n 20 "$work/out" "$work/log" >&2
    return 1
  fi
  sed -n 's/.*Collected : //p' "$work/log" | grep .
}

head -c 4096 /dev/zero | tr '\0' '-' | sed 's/.\{79\}/&\n/g' >"$work/filling"
{
  printf -- '-- @patch com.example.count\n-- @version 1\n-- @app com.example.app\n-- @replaces Bench.f\n'
  printf 'patch.replace("Bench.f", function(original, x) return original(x) + 1 end)\n'
  cat "$work/filling"
  echo
} >"$work/count.lua"
patchpack=$work/patchpack
"$patchpack" keygen -q -o "$work/keys"
pack=(pack "$work/count.lua" -o "$work/out.js" --force --jobs 1 --signing-key "$work/keys/signing.pem" --script-key "$work/keys/script.key")
verify=(verify "$work/out.js" --jobs 1 --trusted-key "$work/keys/trusted.pem" --script-key "$work/keys/script.key")
# Each on its own line: a failure inside an argument of printf would be lost.
start=$(count "$patchpack" --version)
packing=$(count "$patchpack" "${pack[@]}")
verifying=$(count "$patchpack" "${verify[@]}")
printf '%s\n' "start-up $start" "pack $packing" "verify $verifying" >"$work/counts"
# What is done in process: the difference between few and many times.
for kind in verify-in-process call-through call-string call-strings call-struct call-codable call-fails; do
  few=$(count "$work/benchmarks" count $kind 100)
  many=$(count "$work/benchmarks" count $kind 1100)
  echo "$kind $(((many - few) / 1000))" >>"$work/counts"
done
# Launches of an app with so many good patches, each with its confirmation.
cp Benchmarks/.build/release/floor "$work"
for patches in 0 1 10 50; do
  (cd "$work" && ./benchmarks prepare "$patchpack" $patches)
  few=$(cd "$work" && count ./benchmarks count launch-$patches 2)
  many=$(cd "$work" && count ./benchmarks count launch-$patches 12)
  echo "launch-$patches $(((many - few) / 10))" >>"$work/counts"
done
# the compiler and libraries that the counts depend on, in one line
with="$("${SWIFT:-swift}" --version 2>/dev/null | sed -n 's/.*\(Swift version [^ ]*\).*/\1/p' | sed -n 1p), $("$patchpack" doctor | sed -n 1p | cut -d' ' -f3-), $(getconf GNU_LIBC_VERSION), $(uname -m)"

if [ -n "${UPDATE:-}" ] || [ ! -e "$counts" ]; then
  { echo "# instructions, counted by \`make bench-count UPDATE=1\` with $with"; cat "$work/counts"; } >"$counts"
  cat "$counts"
  exit 0
fi
if [ "$(sed -n '1s/.* with //p' "$counts")" != "$with" ]; then
  echo "bench-count: not compared, as $counts was counted with $(sed -n '1s/.* with //p' "$counts")"
  echo "here is $with:"
  cat "$work/counts"
  exit 0
fi
grew=0
while read -r name now; do
  before=$(awk -v name="$name" '$1 == name { print $2 }' "$counts")
  percent=$(awk -v a="$now" -v b="${before:-0}" 'BEGIN { printf "%+.2f", (b > 0 ? (a / b - 1) * 100 : 0) }')
  echo "$name $now ($percent percent)"
  if [ -z "$before" ] || ((now * 100 > before * (100 + allowed))); then
    echo "bench-count: $name takes more than $allowed percent more instructions than ${before:-nothing}; see where, or UPDATE=1" >&2
    grew=1
  fi
done <"$work/counts"
exit $grew
