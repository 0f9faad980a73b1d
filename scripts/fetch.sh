#!/usr/bin/env bash
# Downloads a release of the tool into FOLDER, unless it is there, and prints the folder of its program. Nothing is unpacked before the
# hash of the archive is right.
# usage: PATCHPACK_URL=URL PATCHPACK_SHA256=HASH fetch.sh FOLDER
set -euo pipefail
[[ ${PATCHPACK_SHA256:-} =~ ^[0-9a-f]{64}$ ]] || {
  echo "fetch.sh: give the SHA-256 of $PATCHPACK_URL (PATCHPACK_SHA256, or the action's sha256); it is in the release's SHA256SUMS" >&2
  exit 64
}
place=$1/$PATCHPACK_SHA256
if [ ! -e "$place" ]; then
  mkdir -p "$1"
  work=$(mktemp -d "$1/new.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  curl -fsSL --retry 3 --output "$work/archive" "$PATCHPACK_URL"
  sha256sum --check --status <<<"$PATCHPACK_SHA256  $work/archive" || {
    echo "fetch.sh: $PATCHPACK_URL has another SHA-256 than $PATCHPACK_SHA256: it is another release, or it was changed" >&2
    exit 1
  }
  mkdir "$work/tool"
  tar -xJf "$work/archive" -C "$work/tool" --strip-components=1
  # Another process may have been first.
  mv -T "$work/tool" "$place" 2>/dev/null || [ -e "$place" ]
fi
echo "$place/bin"
