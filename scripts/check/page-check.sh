#!/usr/bin/env bash
# Opens pages in headless Chromium: reports about a fleet with a bad release, a report with names that look like HTML, one with a feed,
# and one of a month of five machines.
# usage: FLEET=PROGRAM PATCHPACK=PROGRAM page-check.sh     PICTURES=DIR keeps screenshots of the pages: docs/report-*.png show the one with
# a feed, and docs/month-*.png the last one
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
    printf -- '-- @patch com.example.shop.home\n-- @version %s\n-- @app com.example.shop >=2.0\n-- @replaces Home.title\npatch.replace("Home.title", function(original, ...) return original(...) end)\n' \
      "$version" >"home-$version.lua"
  done
  "$PATCHPACK" pack home-*.lua --signing-key sign/signing.pem --script-key sign/script.key -q -o envelopes
  value='<b>old</b>'
  [ -z "${PICTURES:-}" ] || value=old
  # At the hours of the fleet, so that the report's figures agree: version 2 is offered for four hours of the second day.
  at() { TZ=UTC faketime "2026-11-$1" "$PATCHPACK" "${@:2}"; }
  at '01 00:00' feed init feed --app com.example.shop --root-key root/signing.pem --release-key release/signing.pem --online-key online/signing.pem -q
  export PATCHPACK_FEED_KEY=online/signing.pem PATCHPACK_AUTHOR=ada
  trust=(--trusted-key sign/trusted.pem --script-key sign/script.key --key release/signing.pem --key online/signing.pem -q)
  at '01 00:00' feed publish feed envelopes/home-1.js --rollout 100% "${trust[@]}"
  at '02 00:00' feed publish feed envelopes/home-2.js --rollout 25% --reason 'canary, <b>25 %</b>' "${trust[@]}"
  at '02 04:00' feed withdraw feed com.example.shop.home --reason 'launches fail with it' --author bob -q
  at '05 23:59' feed switch feed "checkout=$value" -q
  at '05 23:59' feed disable feed --reason 'until it is understood' -q
  at '06 00:00' report events --feed feed --gate 'failing<0.5%' --gate 'rolled-back<0.5%' --html feed.html -q || [ $? = 20 ]
)
python3 Tests/Page/month.py "$PATCHPACK" "$work/month.html"
python3 Tests/Page/check.py ${PICTURES:+--pictures "$PICTURES"} "$work/fleet.html" "$work/quoting.html" "$work/feed.html" "$work/month.html"
