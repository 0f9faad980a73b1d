#!/usr/bin/env bash
# Builds an app that depends on this checkout by URL and tag, as apps do, and uses its plug-ins; then the same app with the
# plug-in of a package that has the built tool, without building the tool. There must be no warning.
# usage: check.sh PACKAGE     PACKAGE is the output of `make artifactbundle`
set -euo pipefail
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
plugins=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log

# The current files as version 0.0.1 of a repository.
mkdir "$work/patchpack"
git ls-files -z --cached --others --exclude-standard --deduplicate |
  while IFS= read -r -d '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done |
  tar -c --null -T - | tar -x -C "$work/patchpack"
git -C "$work/patchpack" init -q
git -C "$work/patchpack" add -A
git -C "$work/patchpack" -c user.name=test -c user.email=test@example.com commit -q -m test
git -C "$work/patchpack" tag 0.0.1

cp -r Tests/Plugins "$work/app"
sed -i.bak "s|URL\"|file://$work/patchpack\"|" "$work/app/Package.swift"
cd "$work/app"
resources=Sources/app/PatchResources
mkdir -p "$resources/patches"
# The command plug-in makes the keys and the feed that the build plug-in then checks.
tool() { "$swift" package --allow-writing-to-package-directory patchpack "$@"; }
for keys in keys root release online; do
  tool keygen --output $keys --profile modern --quiet >>"$log" 2>&1 || { cat "$log"; exit 1; }
done
tool feed init feed --app com.example.shop --root-key root/signing.pem --release-key release/signing.pem \
  --online-key online/signing.pem --quiet >>"$log" 2>&1 || { cat "$log"; exit 1; }
cp keys/trusted.pem "$resources/trusted.pem"
cp feed/metadata/1.root.json "$resources/root.json"
printf -- '-- @patch com.example.shop.x\n-- @version 1\n-- @app com.example.shop\n-- @replaces Cart.total\npatch.replace("Cart.total", function(original, ...) return original(...) end)\n' >"$resources/patches/x.lua"
"$swift" build --product app >>"$log" 2>&1 || { cat "$log"; exit 1; }
if grep -E "warning:|error:" "$log"; then exit 1; fi
.build/debug/app | tee "$work/said"
grep -q "trusts ed25519, root of [1-9][0-9]* bytes, total 6.0" "$work/said"

# A fault stops the build, and is named.
refuse() {
  if "$swift" build --product app >"$log" 2>&1; then echo "built with $1" && exit 1; fi
  grep -q "$2" "$log" || { cat "$log"; exit 1; }
}
echo 'patch.replace("Cart.total", print(' >"$resources/patches/y.lua"
refuse "a script that does not parse" "y.lua:.*\[syntax\]"
rm "$resources/patches/y.lua"
cp keys/signing.pem "$resources/trusted.pem"
refuse "a private key" "trusted.pem: .*private key"
cp keys/trusted.pem "$resources/trusted.pem"
sed -i.bak 's/"version":1/"version":2/' "$resources/root.json"
refuse "a root that is not signed" "root.json: "
cp feed/metadata/1.root.json "$resources/root.json"

# With the built tool, no part of the tool is compiled: what was compiled of it is removed, and stays away.
cp -R "$plugins" "$work/patchpack-plugins"
sed -i.bak -e 's|exact: "0.0.1")|&, .package(path: "../patchpack-plugins")|' \
  -e 's|name: "PatchResources", package: "patchpack"|name: "PatchResourcesPlugin", package: "patchpack-plugins"|' Package.swift
compiled() { find .build/*/debug -path '*-tool.build/*.o' -o -name patchpack-tool | grep .; }
compiled | xargs rm
"$swift" build --product app >"$log" 2>&1 || { cat "$log"; exit 1; }
if grep -E "warning:|error:" "$log" || compiled; then exit 1; fi
.build/debug/app | cmp - "$work/said"
echo "depends by URL and tag without a warning; both plug-ins work, with and without the built tool"
