#!/usr/bin/env bash
# Runs patchpack for pre-commit: the release that PATCHPACK_URL and PATCHPACK_SHA256 name, or the one that is installed.
set -euo pipefail
# A change may have a file with the name of an option. Only a word of its own ends the options, not a part of a file's name.
ended=
for word in "$@"; do [ "$word" != -- ] || ended=yes; done
[ -n "$ended" ] || { echo "hook.sh: let the hook's args end in --, so that no file name is an option" >&2 && exit 64; }
if [ -n "${PATCHPACK_URL:-}${PATCHPACK_SHA256:-}" ]; then
  tool=$("$(dirname "$0")/fetch.sh" "${XDG_CACHE_HOME:-${HOME:?is needed, or XDG_CACHE_HOME}/.cache}/patchpack")
  exec "$tool/patchpack" "$@"
fi
exec patchpack "$@"
