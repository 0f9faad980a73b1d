#!/usr/bin/env bash
# Prints the version of this source: 1.0.0 at its tag, if nothing is changed, and 1.0.0-dev (COMMIT) anywhere else.
set -euo pipefail
cd "$(dirname "$0")/.."
next=$(sed -n 's/^let nextVersion = "\(.*\)"$/\1/p' Sources/patchpack/Version.swift)
# `git archive`, and so the source of a release, has the words of git here.
# shellcheck disable=SC2016
described='$Format:%(describe:tags) %h$'
case $described in
\$Format*)
  commit=$(git rev-parse --short=9 HEAD 2>/dev/null) || commit=
  described="$(git describe --tags --exact-match --match "$next" --dirty 2>/dev/null || true) $commit"
  [ -z "$commit" ] || git diff-index --quiet HEAD 2>/dev/null || commit+=", changed"
  ;;
*) commit=${described#* } ;;
esac
if [ "${described%% *}" = "$next" ]; then echo "$next"; else echo "$next-dev${commit:+ ($commit)}"; fi
