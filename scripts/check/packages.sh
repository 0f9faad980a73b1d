#!/usr/bin/env bash
# Builds packages that depend on this one, as apps do: every way to keep and call replaceable functions, and the programs of the
# documents, which it runs, in release builds (VARIANTS="plain testing-evolution" also builds with other flags, which
# Tests/Outside/build.py lists); the macros; an app that depends by URL and tag and uses the plug-ins; and the package of
# docs/getting-started.md.
# usage: PATCHPACK=PROGRAM packages.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
unset PATCHPACK_PLUGINS # an app's SwiftPM does not know it
PATH=$PWD/$(dirname "$PATCHPACK"):$PATH
SHOP=$PWD/$(dirname "$PATCHPACK")/shop # of the pages
export SHOP
read -ra variants <<<"${VARIANTS:-plain}"
python3 Tests/Outside/build.py "${variants[@]}"
scripts/package/artifact-bundle.sh .build/bundle
Tests/Plugins/check.sh .build/bundle/patchpack-plugins
python3 Tests/Docs/run.py docs/getting-started.md
Tests/Macros/check.sh # last, because its debug build is that of `make test`
