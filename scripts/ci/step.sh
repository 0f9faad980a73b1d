# shellcheck shell=bash
# Sourced by the three layers of checks. Each is a list of steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Runs a step. One that hangs ends, and the log says which it was and how long the others took.
step() {
  echo "== $* (after $((SECONDS / 60)) min)"
  timeout --kill-after=10 "$@" || { echo " error: $* ended with $?" && return 1; }
}
