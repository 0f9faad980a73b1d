#!/usr/bin/env bash
# Compares the public declarations of the libraries with the last tagged version.
# usage: api.sh [TAG]
set -euo pipefail
cd "$(dirname "$0")/../.."
tag=${1:-$(git for-each-ref --merged=HEAD --sort=-version:refname --count=1 --format='%(refname:short)' 'refs/tags/[0-9]*')}
if [ -z "$tag" ]; then
  echo "api.sh: no version is tagged yet, so there is nothing to compare with"
  exit 0
fi
# Both versions are built.
scripts/deps.sh build
version=$(sed -n 's/^let nextVersion = "\(.*\)"$/\1/p' Sources/patchpack/Version.swift)
libraries=$(sed -n 's/.*\.library(name: "\([A-Za-z]*\)".*/\1/p' Package.swift)
# shellcheck disable=SC2086  # one word each
"${SWIFT:-swift}" package diagnose-api-breaking-changes "$tag" --products $libraries && exit 0
if [ "${version%%.*}" != "${tag%%.*}" ]; then
  echo "api.sh: $version may break promises of $tag"
  exit 0
fi
echo "api.sh: $version must not break promises of $tag (docs/compatibility.md)" >&2
exit 1
