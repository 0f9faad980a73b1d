#!/usr/bin/env bash
# Opens pages in headless Chromium: reports about a fleet with a bad release, a report with names that look like HTML, and one with
# a feed.
# usage: FLEET=PROGRAM PATCHPACK=PROGRAM page-check.sh     PICTURES=DIR keeps screenshots of the pages: docs/report-*.png show the last one
set -euo pipefail
cd "$(dirname "$0")/../.."
PATCHPACK=$(realpath "$PATCHPACK")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$FLEET" --events "$work/events" 5000 25 30 >/dev/null
"$PATCHPACK" report "$work/events" --html "$work/fleet.html" --gate 'failing<0.5%' --gate 'rolled-back<0.5%' >/dev/null || [ $? = 20 ]
head -qn 20000 "$work"/events/*.jsonl |
  sed 's/"error.message":"[^"]*"/"error.message":"<script src=x>\&quot;\&lt;b\&gt;<img onerror=alert(1)>ൎ<b>"/g; s/"os.name":"[^"]*"/"os.name":"<i>2"/g' |
  "$PATCHPACK" report - --html "$work/quoting.html" >/dev/null
(
  cd "$work"
  for key in root release online sign; do "$PATCHPACK" keygen --profile modern -q -o "$key"; done
  for version in 1 2; do
    printf -- '-- @patch com.example.shop.home\n-- @version %s\n-- @app com.example.shop >=1.0\n-- @replaces Home.title\npatch.replace("Home.title", function(original, ...) return original(...) end)\n' \
      "$version" >"home-$version.lua"
  done
  "$PATCHPACK" pack home-*.lua --signing-key sign/signing.pem --script-key sign/script.key -q -o envelopes
  "$PATCHPACK" feed init feed --app com.example.shop --root-key root/signing.pem --release-key release/signing.pem --online-key online/signing.pem -q
  export PATCHPACK_FEED_KEY=online/signing.pem PATCHPACK_AUTHOR=ada
  "$PATCHPACK" feed publish feed envelopes/* --rollout 100% --trusted-key sign/trusted.pem --script-key sign/script.key --key release/signing.pem --key online/signing.pem -q
  "$PATCHPACK" feed rollout feed com.example.shop.home 5% --reason 'canary, <b>5 %</b>' -q
  "$PATCHPACK" feed withdraw feed com.example.shop.home --reason 'rolled back on 1 of 10 devices' --author bob -q
  "$PATCHPACK" feed switch feed 'checkout=<b>old</b>' -q
  "$PATCHPACK" feed disable feed --reason 'until it is understood' -q
  "$PATCHPACK" report events --feed feed --gate 'failing<0.5%' --gate 'rolled-back<0.5%' --html feed.html -q || [ $? = 20 ]
)
python3 Tests/Page/check.py ${PICTURES:+--pictures "$PICTURES"} "$work/fleet.html" "$work/quoting.html" "$work/feed.html"
