#!/usr/bin/env bash
# Builds the documentation of the libraries into .docs. A broken link is an error.
set -euo pipefail

swift=${SWIFT:-swift}
docc=$(dirname "$(readlink -f "$(command -v "$swift")")")/docc
[ -x "$docc" ] || docc=$(xcrun --find docc)
# It wants the modules of the tests, too.
"$swift" build --build-tests >/dev/null
"$swift" package dump-symbol-graph --minimum-access-level public >/dev/null
graphs=$(find .build -type d -name symbolgraph | head -n 1)
mkdir -p .docs
modules=(PatchCrypto PatchFiles PatchFeed PatchHTTP PatchEvents PatchStore PatchSync PatchRunner PatchTesting)
for module in "${modules[@]}"; do
  folder=$(mktemp -d)
  cp "$graphs/$module"*.symbols.json "$folder"
  "$docc" convert --warnings-as-errors --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --additional-symbol-graph-dir "$folder" --output-dir ".docs/$module"
  rm -r "$folder"
done
echo "documentation is in .docs"
