#!/usr/bin/env bash
# Downloads a release of the tool into FOLDER, unless it is there, and prints the folder of its program. Nothing is unpacked before the
# hash of the archive is right.
# usage: PATCHPACK_URL=URL PATCHPACK_SHA256=HASH fetch.sh FOLDER
set -euo pipefail
refuse() { echo "fetch.sh: $2" >&2 && exit "$1"; }
[ -n "${PATCHPACK_URL:-}" ] || refuse 64 "a SHA-256 without an archive: give its URL (PATCHPACK_URL, or the action's archive)"
[[ ${PATCHPACK_SHA256:-} =~ ^[0-9a-f]{64}$ ]] ||
  refuse 64 "give the SHA-256 of $PATCHPACK_URL (PATCHPACK_SHA256, or the action's sha256); it is in the release's SHA256SUMS"
place=$1/$PATCHPACK_SHA256
if [ ! -x "$place/bin/patchpack" ]; then
  mkdir -p "$1"
  work=$(mktemp -d "$1/new.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  curl -fsSL --retry 3 --output "$work/archive" -- "$PATCHPACK_URL"
  sha256sum -c --status <<<"$PATCHPACK_SHA256  $work/archive" ||
    refuse 1 "$PATCHPACK_URL has another SHA-256 than $PATCHPACK_SHA256: it is another release, or it was changed"
  mkdir "$work/tool"
  tar -xJf "$work/archive" -C "$work/tool" --strip-components=1
  [ -x "$work/tool/bin/patchpack" ] || refuse 1 "$PATCHPACK_URL has no bin/patchpack"
  # A folder that has lost its program is replaced. Another process may have been first.
  [ -x "$place/bin/patchpack" ] || rm -rf "$place"
  mv -T "$work/tool" "$place" 2>/dev/null || [ -x "$place/bin/patchpack" ]
fi
echo "$place/bin"
