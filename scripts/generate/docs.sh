#!/usr/bin/env bash
# Builds the documentation of the libraries into .docs, as a site for any server, and compares docs/api with them. A broken link is an error.
# usage: docs.sh [--write]     --write writes docs/api
set -euo pipefail

swift=${SWIFT:-swift}
docc=$(scripts/toolchain.sh)/docc
[ -x "$docc" ] || docc=$(xcrun --find docc)
"$swift" build >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# `swift package dump-symbol-graph` would fetch swift-syntax.
target=$("$swift" -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
flags=()
while IFS= read -r flag; do flags+=("$flag"); done < <(scripts/module-flags.sh "$PWD/.build/debug")
archives=()
# PatchMacros is empty without its trait, which would fetch swift-syntax. Its declarations need no plug-in.
mkdir "$work/macros.build"
"$swift"c -emit-module -suppress-warnings -D Macros -module-name PatchMacros -target "$target" "${flags[@]}" Sources/PatchMacros/*.swift \
  -emit-module-path "$work/macros.build/PatchMacros.swiftmodule"
modules=(PatchCrypto PatchRunner PatchFoundation PatchFeed PatchHTTP PatchDevice PatchTesting PatchMacros)
for module in "${modules[@]}"; do
  mkdir "$work/$module"
  [ "$module" != PatchMacros ] || flags=(-I "$work/macros.build" "${flags[@]}")
  "$swift" symbolgraph-extract -module-name "$module" -target "$target" "${flags[@]}" -minimum-access-level public -output-dir "$work/$module"
  "$docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$work/$module" --warnings-as-errors --fallback-display-name "$module" \
    --fallback-bundle-identifier "$module" --output-dir "$work/$module.doccarchive"
  archives+=("$work/$module.doccarchive")
done
scripts/check/api.py "$work" "$@"
rm -rf .docs
"$docc" merge "${archives[@]}" --synthesized-landing-page-name patchpack --synthesized-landing-page-kind Documentation --synthesized-landing-page-topics-style list \
  --output-path .docs
# The landing page is not at the root of the server.
echo '<!DOCTYPE html><title>patchpack</title><meta http-equiv="refresh" content="0; url=documentation/">' >.docs/index.html
echo "documentation is in .docs; to read it: python3 -I -m http.server --directory .docs"
