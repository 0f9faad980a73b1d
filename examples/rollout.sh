#!/usr/bin/env bash
# Widens the rollout of a patch from step to step, as long as the devices' reports are good. Run it from cron.
# usage: rollout.sh FEED EVENTS ID VERSION [PLACE]
#
# FEED is the folder of the feed, and EVENTS the folder into which the devices' lines are collected. If a gate is crossed, the patch is
# paused, and the script exits with 20: devices that have it keep it, and no other gets it. Withdraw it to remove it. If it is too
# early for a verdict, nothing happens. The script exits with 20 until the patch is withdrawn or resumed.
#
# PLACE is where the feed is served from, as for `patchpack feed deploy --to`. A pause is deployed too, so do not make the deployment
# depend on the exit status.
#
# METRICS=FILE writes the report for Prometheus first: figures of what the job then acts upon, and without it, nothing is lost.
#
# A few machines: STEPS='group canary,100%' GATES='failing=0 rolled-back=0' NEW_DEVICES=1 rollout.sh …
set -euo pipefail
feed=$1 events=$2 id=$3 version=$4 place=${5:-}
status=0

gates=()
for gate in ${GATES:-'failing<0.5%' 'rolled-back<0.5%' 'sync-failed<5%'}; do gates+=(--gate "$gate"); done
if [ -n "${METRICS:-}" ]; then
  patchpack report "$events" --feed "$feed" "${gates[@]}" --format openmetrics >"$METRICS.new" || [ $? = 20 ] || status=$?
  [ $status != 0 ] || mv "$METRICS.new" "$METRICS"
  status=0
fi
patchpack feed advance "$feed" "$id" --patch-version "$version" --events "$events" --author rollout.sh \
  --steps "${STEPS:-1%,5%,25%,100%}" --soak "${SOAK:-4h}" --new-devices "${NEW_DEVICES:-100}" "${gates[@]}" || status=$?
[ -z "$place" ] || patchpack feed deploy "$feed" --to "$place"
exit $status
