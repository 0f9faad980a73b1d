#!/usr/bin/env bash
# Widens the rollout of a patch from step to step, as long as what devices report is good. Run it from cron.
# usage: rollout.sh FEED EVENTS ID VERSION
#
# FEED is the folder of the feed, and EVENTS the folder into which the devices' lines are collected. The gates are for the
# version of the patch. If one is crossed, the patch is paused: devices that have it keep it, and no other gets it. Withdraw
# it if it must go. If it is too early to tell, nothing happens. Upload the feed afterwards.
set -euo pipefail
feed=$1 events=$2 id=$3 version=$4
steps=(1 5 25 100)

set +e
patchpack report "$events" --patch "$id" --patch-version "$version" --format json \
  --gate 'failing<0.5%' --gate 'rolled-back<0.5%' >"$feed.report.json"
status=$?
set -e
case $status in
0) ;;
20)
  if grep -q '"verdict":"crossed"' "$feed.report.json"; then
    echo "$id $version: a gate is crossed, so the rollout is paused; see $feed.report.json"
    patchpack feed pause "$feed" "$id" --patch-version "$version" -q
    exit 20
  fi
  echo "$id $version: too early to tell"
  exit 0
  ;;
*) exit $status ;;
esac

now=$(patchpack feed status "$feed" --format json | python3 -c '
import json, sys
for patch in json.load(sys.stdin)["patches"]:
    if patch["id"] == sys.argv[1] and patch["version"] == int(sys.argv[2]):
        print(patch["state"], (patch.get("rollout") or {"permyriad": 10000})["permyriad"])
' "$id" "$version")
read -r state permyriad <<<"$now"
[ "$state" = active ] || { echo "$id $version is $state" && exit 0; }
for step in "${steps[@]}"; do
  if ((step * 100 > permyriad)); then
    echo "$id $version: all gates are passed, so the rollout is widened to $step percent"
    exec patchpack feed rollout "$feed" "$id" "$step%" --patch-version "$version" -q
  fi
done
echo "$id $version: on all devices, and all gates are passed"
