#!/usr/bin/env bash
# Compares docs/api, the public declarations of the libraries, with the last tagged version. `make docs` compares it with Sources.
# usage: api.sh [TAG]
set -euo pipefail
cd "$(dirname "$0")/../.."
tag=${1:-$(git for-each-ref --merged=HEAD --sort=-version:refname --count=1 --format='%(refname:short)' 'refs/tags/[0-9]*')}
[ -n "$tag" ] || { echo "api.sh: no version is tagged yet, so there is nothing to compare with" && exit 0; }
version=$(sed -n 's/^let nextVersion = "\(.*\)"$/\1/p' Sources/patchpack/Version.swift)
gone=$(git diff --unified=0 "$tag" -- docs/api | grep '^-[^-#]') || exit 0
printf '%s\n' "$gone"
[ "${version%%.*}" != "${tag%%.*}" ] || { echo "api.sh: $version must not break promises of $tag (docs/compatibility.md)" >&2 && exit 1; }
