# shellcheck shell=bash
# Sourced by the three layers of checks. Each layer is a list of steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

announce() { echo "== $* (after $((SECONDS / 60)) min)"; }

# Runs a step. A step that hangs is ended, and the log shows its name and the times of the others.
step() {
  announce "$@"
  timeout --kill-after=10 "$@" || { echo " error: $* ended with $?" && return 1; }
}

# Runs a step at the same time as those that follow, until `join`. There is one at a time. If one of those that follow fails, it is
# ended.
beside() {
  announce "$*, beside the next steps"
  beside_log=$(mktemp)
  timeout --kill-after=10 "$@" >"$beside_log" 2>&1 &
  beside=$!
  trap 'kill "$beside" 2>/dev/null || true; cat "$beside_log"; rm -f "$beside_log"' EXIT
}

# Waits for that step, shows its output, and fails if it did.
join() {
  local status=0
  announce "the step beside these"
  wait "$beside" || status=$?
  trap - EXIT
  cat "$beside_log"
  rm -f "$beside_log"
  [ "$status" = 0 ] || { echo " error: the step beside these ended with $status" && return 1; }
}
