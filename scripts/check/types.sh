#!/usr/bin/env bash
# Whether the fuzzers and the benchmarks, which are packages of their own, compile with the libraries as they are. They are built only
# where they run. usage: types.sh, after `make test`
set -euo pipefail
cd "$(dirname "$0")/../.."
mapfile -t flags < <(scripts/module-flags.sh "$PWD/.build/debug")
flags+=(-swift-version 6 -package-name "$(basename "$PWD" | tr '[:upper:]' '[:lower:]')") # SwiftPM's name of the package
features=()
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility; do features+=(-enable-upcoming-feature "$feature"); done
"${SWIFT:-swift}c" -typecheck "${flags[@]}" "${features[@]}" -I Fuzz/Sources/CFuzzer/include Fuzz/Sources/fuzz/*.swift
"${SWIFT:-swift}c" -typecheck "${flags[@]}" -enable-upcoming-feature NonisolatedNonsendingByDefault -I Benchmarks/Sources/CFloor/include \
  -I Benchmarks/Sources/CLuaFloor Benchmarks/Sources/benchmarks/*.swift
