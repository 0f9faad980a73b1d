#!/usr/bin/env bash
# Makes a release of all patches in a folder: packs them, verifies them with the app's keys, and lists their hashes.
# usage: release.sh PATCHES_FOLDER OUTPUT_FOLDER
#
# Run it again for each release, in the same folder or a new one. An unchanged patch stays as it is, byte for byte. A patch
# with a higher @version replaces the older one. If any other file is there, the script exits with 73. Nothing is written unless all
# patches are good.
#
# The keys come from the environment, as a build server sets them:
#   PATCHPACK_SIGNING_KEY, PATCHPACK_TRUSTED_KEY, PATCHPACK_SCRIPT_KEY   files
#   PATCHPACK_PASSPHRASE                                                 for the signing key, if it has one
set -euo pipefail

[ $# -eq 2 ] || { sed -n '3p' "$0" >&2; exit 64; }
patches=$1
release=$2
shopt -s nullglob
scripts=("$patches"/*.lua)
[ ${#scripts[@]} -gt 0 ] || { echo "release.sh: no patches in $patches" >&2; exit 66; }

passphrase=()
[ -z "${PATCHPACK_PASSPHRASE:-}" ] || passphrase=(--passphrase-env PATCHPACK_PASSPHRASE)

# Without SOURCE_DATE_EPOCH an envelope has no time in it, so a patch that has not changed keeps its bytes.
# PATCHPACK_TRUSTED_KEY makes `pack` refuse any other signing key.
unset SOURCE_DATE_EPOCH
patchpack pack "${scripts[@]}" -o "$release" --upgrade --all-or-nothing "${passphrase[@]}"
patchpack verify -r "$release"
(cd "$release" && sha256sum -- *.js >SHA256SUMS)
