#!/usr/bin/env bash
# Runs a step of CI, a command with a time limit, and prints how long it took. usage: step.sh LIMIT COMMAND...
# The step is left out if LATEST minutes have passed since CI_BEGAN, a time in seconds. Without these variables it is not.
set -euo pipefail
unset MAKEFLAGS MFLAGS MAKELEVEL # of the make that runs the steps
name=${*:2} status=0
if [ -n "${LATEST:-}" ] && [ -n "${CI_BEGAN:-}" ] && [ "$(date +%s)" -ge $((CI_BEGAN + LATEST * 60)) ]; then
  echo "== $name: left out, because $LATEST min have passed"
  exit 0
fi
# make shows the output when the step has ended. .ci/run makes this file of its own output.
[ ! -e /dev/fd/9 ] || echo "   $name: begins" >&9
echo "== $name"
timeout --kill-after=10 "$@" 9>&- || status=$?
[ "$status" = 0 ] || echo " error: $name: ended with $status"
echo "== $name: $((SECONDS / 60)) min $((SECONDS % 60)) s"
exit "$status"
