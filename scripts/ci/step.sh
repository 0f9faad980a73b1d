# shellcheck shell=bash
# Sourced by the three layers of checks. Each layer is a list of steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Runs a step. A step that hangs is ended, and the log shows its name and the times of the others.
step() {
  echo "== $* (after $((SECONDS / 60)) min)"
  timeout --kill-after=10 "$@" || { echo " error: $* ended with $?" && return 1; }
}

# Runs a step at the same time as those that follow. Its output is shown by `join`.
beside() {
  beside_log=$(mktemp)
  trap 'rm -f "$beside_log"' EXIT
  step "$@" >"$beside_log" 2>&1 &
  beside=$!
}

# Waits for that step, and fails if it did.
join() {
  local status=0
  wait "$beside" || status=$?
  cat "$beside_log"
  return "$status"
}
