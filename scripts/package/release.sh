#!/usr/bin/env bash
# Makes the files of a release: the archive of the tool, the source, the Debian package, and SHA256SUMS. The same commit makes the
# same bytes on the same system.
# usage: release.sh make FOLDER          builds the tool, from a checkout without changes; empties FOLDER first
#        release.sh sign FOLDER KEY.pem  signs SHA256SUMS with an Ed25519 key, and a statement about the commit and the builder. For - as
#                                        the key, the program in SIGNATURE_COMMAND reads the bytes and writes their signature, as for
#                                        `patchpack resign`. BUILDER is the builder's URI.
set -euo pipefail
usage() { sed -n '4,7p' "$0" >&2 && exit 64; }
[ $# -ge 2 ] || usage
mkdir -p "$2"
folder=$(readlink -f "$2")
[ "${3:--}" = - ] || key=$(readlink -f "$3")
cd "$(dirname "$0")/../.."
umask 022
# The repository is this one, whatever GIT_DIR and its like say.
# shellcheck disable=SC2046 # they are words without spaces
unset $(git rev-parse --local-env-vars)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $1 in
make)
  changes=$(scripts/version.sh changes)
  [ -z "$changes" ] || { printf 'release.sh: commit these changes, or take them back:\n%s\n' "$changes" >&2 && exit 1; }
  [ "$(git rev-parse --show-toplevel)" = "$(pwd -P)" ] || { echo "release.sh: this is not a clone" >&2 && exit 1; }
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
  export SOURCE_DATE_EPOCH PATCHPACK=.build/release/patchpack
  make build PACKAGES=package
  version=$("$PATCHPACK" --version | sed -E 's/^patchpack //; s/ \((\w+).*/+\1/')
  name=patchpack-$version-linux-$(uname -m)
  rm -rf "${folder:?}"/*
  scripts/package/install.sh "$work/$name" >/dev/null
  tar -c -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$name" | xz -T1 >"$folder/$name.tar.xz"
  git -c tar.umask=0002 -c core.autocrlf=false archive --prefix="patchpack-$version/" HEAD | xz -T1 >"$folder/patchpack-$version.tar.xz"
  scripts/package/deb.sh "$folder" >/dev/null
  cd "$folder"
  sha256sum "$name.tar.xz" "patchpack-$version.tar.xz" patchpack_*.deb | tee SHA256SUMS
  ;;
sign)
  [ $# -eq 3 ] || usage
  hash=$(sha256sum <"$folder/SHA256SUMS")
  examples/attest.sh sign "${key:--}" SHA256SUMS "${hash%% *}" "${BUILDER:-https://example.com/patchpack/scripts/package/release.sh}" \
    "$(git rev-parse HEAD)" >"$work/SHA256SUMS.intoto.json"
  examples/attest.sh bytes "${key:--}" <"$folder/SHA256SUMS" >"$work/SHA256SUMS.sig"
  mv "$work"/* "$folder"
  ;;
*) usage ;;
esac
