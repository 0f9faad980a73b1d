#!/usr/bin/env bash
# Prints the version of this source: 1.0.0 at its tag, if nothing is changed or added, and 1.0.0-dev (COMMIT) anywhere else.
# usage: version.sh [debian | changes]     debian: as the version of a package, in which later commits are higher: 1.0.0~devCOUNT+COMMIT
#                                          changes: prints what is changed or added instead, as `git status` does
set -euo pipefail
cd "$(dirname "$0")/.."
# A hook of git, and a user's shell, may name another repository in GIT_DIR and its like.
# shellcheck disable=SC2046 # they are words without spaces
unset $(git rev-parse --local-env-vars 2>/dev/null)
# What differs from the commit. The user's settings and lists of ignored files hide nothing that the compiler reads.
changes() {
  git --no-optional-locks status --porcelain --untracked-files=all --ignore-submodules=none
  git --no-optional-locks status --porcelain --untracked-files=all --ignored -- Package.swift Sources | sed -n '/^!!/p'
}
if [ "${1:-}" = changes ]; then changes && exit; fi
next=$(sed -n 's/^let nextVersion = "\(.*\)"$/\1/p' Sources/patchpack/Version.swift)
# `git archive`, and so the source of a release, has the words of git here.
# shellcheck disable=SC2016
described='$Format:%(describe:tags) %H$'
count=0 changed=
if [[ $described != \$Format* ]]; then
  tag=${described% *} commit=${described##* }
# A copy without .git in another repository is not at a commit of that repository.
elif [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] && commit=$(git rev-parse HEAD 2>/dev/null); then
  tag=$(git describe --tags --exact-match --match "$next" 2>/dev/null) || true
  [ -z "$(changes)" ] || tag='' changed=', changed'
  count=$(git rev-list --count HEAD)
else
  tag='' commit=''
fi
commit=${commit:0:9}
if [ "$tag" = "$next" ]; then
  echo "$next"
elif [ "${1:-}" = debian ]; then
  echo "$next~dev$count${commit:++$commit}"
else
  echo "$next-dev${commit:+ ($commit$changed)}"
fi
