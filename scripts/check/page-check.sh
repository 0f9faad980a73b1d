#!/usr/bin/env bash
# Opens the pages of reports in headless Chromium: about a fleet with a bad release, about no device, and about names that try to be HTML.
# usage: FLEET=PROGRAM PATCHPACK=PROGRAM page-check.sh [PICTURES]     PICTURES: a folder for pictures of the pages
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$FLEET" --events "$work/events" 5000 25 30 >/dev/null
"$PATCHPACK" report "$work/events" --html "$work/fleet.html" --gate 'failing<0.5%' --gate 'rolled-back<0.5%' >/dev/null || [ $? = 20 ]
head -qn 20000 "$work"/events/*.jsonl |
  sed 's/com.example.shop.home/<script src=x>\&quot;\&lt;b\&gt;<img onerror=alert(1)>/g; s/2\.3\.1/<i>2/g' |
  "$PATCHPACK" report - --html "$work/quoting.html" >/dev/null
python3 Tests/Page/check.py ${1:+--pictures "$1"} "$work/fleet.html" "$work/quoting.html"
