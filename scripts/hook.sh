#!/usr/bin/env bash
# Runs patchpack for pre-commit: the release that PATCHPACK_URL and PATCHPACK_SHA256 name, or the one that is installed.
set -euo pipefail
if [ -n "${PATCHPACK_URL:-}" ]; then
  tool=$("$(dirname "$0")/fetch.sh" "${XDG_CACHE_HOME:-$HOME/.cache}/patchpack")
  PATH=$tool:$PATH
fi
exec patchpack "$@"
