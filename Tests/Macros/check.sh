#!/usr/bin/env bash
# Builds the macros with the toolchain's SwiftSyntax, which needs no network, runs programs that use them, and compares the errors
# about refused code with wrong.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
host=$(scripts/toolchain.sh)/../lib/swift/host
here=$PWD/Tests/Macros
mkdir -p "$here/.build"
case $(uname) in
  Darwin) export PATCHPACK_MACROS=$here/.build/libPatchMacroPlugin.dylib ;;
  *) export PATCHPACK_MACROS=$here/.build/libPatchMacroPlugin.so ;;
esac
# The settings of Package.swift.
"${swift}c" -swift-version 6 -warnings-as-errors -strict-memory-safety -enable-upcoming-feature ExistentialAny \
  -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility -DMacros -parse-as-library -emit-library -module-name PatchMacroPlugin \
  -I "$host" -L "$host" -lSwiftSyntax -lSwiftSyntaxMacros -lSwiftSyntaxBuilder -lSwiftDiagnostics -lSwiftParser \
  -Xlinker -rpath -Xlinker "$host" Sources/PatchMacroPlugin/*.swift -o "$PATCHPACK_MACROS"
# usage: compile FILE
compile() {
  local flags=() flag
  while IFS= read -r flag; do flags+=("$flag"); done < <(scripts/module-flags.sh "$here/.build/debug")
  "${swift}c" -typecheck -parse-as-library -swift-version 6 -diagnostic-style=llvm -DMacros -load-plugin-library "$PATCHPACK_MACROS" \
    "${flags[@]}" Sources/PatchMacros/Macros.swift "$1"
}

for configuration in debug release; do
  "$swift" build --package-path "$here" -c "$configuration" --quiet
  for program in shapes main-actor; do "$here/.build/$configuration/$program"; done
done

# The examples in docs/runner.md compile.
# shellcheck disable=SC2016 # backticks are Markdown's
sed -n '/^```swift (with the macros)$/,/^```$/p' docs/runner.md | grep -v -e '^```' -e '^import PatchMacros$' >"$here/.build/sample.swift"
[ -s "$here/.build/sample.swift" ]
compile "$here/.build/sample.swift"

# The refusals: line and message.
said() { sed -nE 's/^.*wrong\.swift:([0-9]+):[0-9]+: error: (.*) \(from macro .*$/\1 \2/p' | sort -un; }
expected() { grep -nE '// error: ' "$here/wrong.txt" | sed -E 's/^([0-9]+):.*\/\/ error: /\1 /'; }
cp "$here/wrong.txt" "$here/.build/wrong.swift"
compile "$here/.build/wrong.swift" 2>"$here/.build/errors" || true
diff <(expected) <(said <"$here/.build/errors") || {
  echo "macros: < is expected, > is the compiler's output" >&2
  exit 1
}
echo "macros: $(expected | wc -l) errors: right"
