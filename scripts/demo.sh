#!/usr/bin/env bash
# Packs, verifies and unpacks the example patches and a library of real Lua code. Runs the patches in the example shop.
set -euo pipefail

patchpack=${PATCHPACK:-patchpack}
shop=${SHOP:-shop}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bold='' plain=''
[ ! -t 1 ] || [ -n "${NO_COLOR:-}" ] || bold=$'\033[1m' plain=$'\033[0m'
step() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
keys=(--trusted-key keys/trusted.pem --script-key keys/script.key)
signing=(--signing-key keys/signing.pem)

step "1. keys, once: keys/signing.pem stays secret, the other two go into the app"
if [ -e keys/signing.pem ]; then
  "$patchpack" keyinfo keys/signing.pem keys/trusted.pem keys/script.key
else
  "$patchpack" keygen -o keys --profile modern
fi

step "2. look at the example patches, with the functions that the shop offers"
"$shop" --interface >"$work/interface.json"
"$patchpack" lint examples/patches/*.lua --interface "$work/interface.json"

step "3. test them: one patch has a bug, and its spec finds it"
for script in examples/patches/*.lua; do
  spec=examples/specs/$(basename "$script")
  if "$patchpack" test "$script" --spec "$spec" --interface "$work/interface.json" -q; then
    echo "$spec passed"
  elif [ "$(basename "$script")" != receipt-greeting.lua ]; then
    echo "$spec failed" >&2
    exit 1
  fi
done

step "4. pack the example patches: each .lua becomes a signed, encrypted .js"
"$patchpack" pack examples/patches/*.lua -o dist --force "${signing[@]}" "${keys[@]}"

step "5. verify them, as the app would"
"$patchpack" verify dist/*.js "${keys[@]}" --app com.example.shop --app-version 2.3.1

step "6. change one byte, and verify again"
cp dist/cart-total.js "$work/changed.js"
printf 'XYZW' | dd of="$work/changed.js" bs=1 seek=100 conv=notrunc status=none
if "$patchpack" verify "$work/changed.js" "${keys[@]}"; then
  echo "the changed patch was accepted" >&2
  exit 1
fi

step "7. unpack, and compare with the script"
"$patchpack" unpack dist/cart-total.js -o "$work/cart" "${keys[@]}"
cmp examples/patches/cart-total.lua "$work/cart/cart-total.lua"
echo "cart-total.lua came back byte for byte"

lua=/usr/share/lua/5.3
if [ -d "$lua/pl" ]; then
  step "8. real code: Penlight and inspect.lua, in one batch and as one bundle"
  scripts/package/tag-library.sh "$lua" "$work/library"
  mapfile -t scripts < <(find "$work/library" -name '*.lua' | sort)
  "$patchpack" pack "${scripts[@]}" --root "$work/library" -o "$work/batch" -q --no-lint "${signing[@]}" "${keys[@]}"
  mapfile -t envelopes < <(find "$work/batch" -name '*.js' | sort)
  "$patchpack" verify "${envelopes[@]}" -q "${keys[@]}"
  "$patchpack" pack "${scripts[@]}" --root "$work/library" --bundle --no-lint -o "$work/library.js" \
    --id com.example.library --version 1 --app com.example.shop "${signing[@]}" "${keys[@]}"
  "$patchpack" unpack "$work/library.js" -o "$work/unpacked" -q "${keys[@]}"
  diff -r "$work/library" "$work/unpacked"
  echo "${#envelopes[@]} envelopes verified; the bundle of ${#scripts[@]} scripts came back byte for byte"
fi

step "9. run them: the shop, before and after (examples/shop; one patch has a bug of its own)"
"$shop" --patches dist --trusted-key keys/trusted.pem --script-key keys/script.key

step "10. deliver them: a feed on a web server"
for role in root publishing online; do "$patchpack" keygen --profile modern -o "$work/$role" -q; done
export PATCHPACK_FEED_KEY=$work/online/signing.pem
init=(--root-key "$work/root/signing.pem" --release-key "$work/publishing/signing.pem" --online-key "$work/online/signing.pem")
publishing=("${keys[@]}" --key "$work/publishing/signing.pem" --key "$work/online/signing.pem")
"$patchpack" feed init "$work/feed" --app com.example.shop "${init[@]}"
"$patchpack" feed publish "$work/feed" dist/*.js --rollout 20% --rollout-unit user "${publishing[@]}"
# The server takes a free port and prints it.
python3 -I -u -m http.server 0 --bind 127.0.0.1 --directory "$work/feed" >"$work/server" 2>/dev/null &
server=$!
trap 'kill "$server"; rm -rf "$work"' EXIT
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/server") && [ -n "$port" ]; do sleep 0.1; done
reading=("http://127.0.0.1:$port" --allow-http --root "$work/feed/metadata/1.root.json")
"$patchpack" feed check "${reading[@]}"
devices() {
  for device in "ada 2.3.1" "grace 2.3.1" "ada 2.1.0"; do
    echo "a device of ${device% *} with version ${device#* }:"
    "$patchpack" feed preview "${reading[@]}" --user "${device% *}" --app-version "${device#* }"
  done
}
devices

step "11. wider, and then one of them away"
"$patchpack" feed rollout "$work/feed" com.example.shop.cart-total 100%
"$patchpack" feed withdraw "$work/feed" com.example.shop.receipt-greeting --reason "one space too many"
devices

step "12. a release goes bad: the second version crashes the app on its first screen"
"$patchpack" pack examples/going-bad/*.lua -o "$work/dist" -q "${signing[@]}" "${keys[@]}"
for environment in prerelease release; do
  "$patchpack" feed init "$work/$environment" --app com.example.shop --environment "$environment" -q "${init[@]}"
  cp "$work/$environment/metadata/1.root.json" "$work/$environment.root.json"  # the copy in the app
done
publish() {
  "$patchpack" feed publish "$work/prerelease" "$work/dist/$1" --rollout 100% -q "${publishing[@]}"
  "$patchpack" feed promote "$work/prerelease" "$work/release" com.example.shop.home --rollout 100% -q "${publishing[@]}"
  echo "published $1"
}
# One run of the app. Only the lines about patches and the first screen are shown.
launch() {
  echo "the app is launched${1:+ $1}:"
  local status=0
  (
    ulimit -c 0
    SWIFT_BACKTRACE=enable=no timeout 3 "$shop" --feed "$work/release" --root "$work/release.root.json" --store "$work/device" \
      --event-log "$work/events" --trusted-key keys/trusted.pem --script-key keys/script.key >"$work/screen" 2>/dev/null
  ) 2>/dev/null || status=$?
  grep -E '^  (\*|today)' "$work/screen" | grep -v -E ' (loaded|activated|deactivated)' || true
  case $status in
    0) ;;
    124) echo "  … and hangs" ;;
    13?) echo "  … and crashes" ;;
    *) echo "the app ended with status $status" >&2 && exit 1 ;;
  esac
}
publish 1-lamps-first.js
launch
launch
publish 2-crash.js
launch
mv "$work/release" "$work/away"
launch "without a network"
launch "without a network"
launch "without a network: version 1 is back, by itself"
"$patchpack" store why "$work/device" com.example.shop.home

step "13. the next versions: one hangs, one is wrong and is withdrawn, and the last one is right"
mv "$work/away" "$work/release"
publish 3-hang.js
launch
launch
launch
launch "again: version 1 is back"
publish 4-wrong-result.js
launch
"$patchpack" feed withdraw "$work/release" com.example.shop.home --reason "shows ink"
publish 5-right.js
launch
launch
"$patchpack" store status "$work/device"

step "14. the device's event log, as a report"
"$patchpack" report "$work/events"

step "done: dist/ holds $(find dist -name '*.js' | wc -l | tr -d ' ') verified patches"
