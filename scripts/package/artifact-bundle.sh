#!/usr/bin/env bash
# Makes a SwiftPM package with the build plug-in and the built tool, so that an app does not build the tool.
# usage: PATCHPACK=PROGRAM artifact-bundle.sh FOLDER     makes FOLDER/patchpack-plugins
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$("$PATCHPACK" --version | cut -d ' ' -f 2)
triple=$("${SWIFT:-swift}" -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)",*/\1/p')
package=$1/patchpack-plugins
bundle=$package/patchpack.artifactbundle
rm -rf "$package"
mkdir -p "$bundle/patchpack-$version"
cp -R Plugins/PatchResources "$package"
install -m 755 "$PATCHPACK" "$bundle/patchpack-$version/patchpack"
strip "$bundle/patchpack-$version/patchpack"
cat >"$bundle/info.json" <<END
{ "schemaVersion": "1.0", "artifacts": { "patchpack": { "type": "executable", "version": "$version",
  "variants": [{ "path": "patchpack-$version/patchpack", "supportedTriples": ["$triple"] }] } } }
END
# The names of targets must be unique in an app, and the app depends on the libraries' package too.
cat >"$package/Package.swift" <<'END'
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "patchpack-plugins",
    products: [.plugin(name: "PatchResourcesPlugin", targets: ["PatchResourcesPlugin"])],
    targets: [
        .binaryTarget(name: "patchpack-tool", path: "patchpack.artifactbundle"),
        .plugin(
            name: "PatchResourcesPlugin", capability: .buildTool(), dependencies: ["patchpack-tool"],
            path: "PatchResources"),
    ])
END
echo "$package"
