#!/usr/bin/env bash
# Builds the macros with the toolchain's SwiftSyntax, which needs no network, runs programs that use them, and compares the errors
# about refused code with wrong.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
host=$(scripts/toolchain.sh)/../lib/swift/host
here=$PWD/Tests/Macros work=$PWD/.build/macros
mkdir -p "$work"
# SwiftPM takes no flag with a `$` in it, which the name of the checkout may have.
library=$(mktemp -d)
trap 'rm -rf "$library"' EXIT
case $(uname) in
  Darwin) export PATCHPACK_MACROS=$library/libPatchMacroPlugin.dylib ;;
  *) export PATCHPACK_MACROS=$library/libPatchMacroPlugin.so ;;
esac
# The settings of Package.swift.
"${swift}c" -swift-version 6 -warnings-as-errors -strict-memory-safety -enable-upcoming-feature ExistentialAny \
  -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility -DMacros -parse-as-library -emit-library -module-name PatchMacroPlugin \
  -I "$host" -L "$host" -lSwiftSyntax -lSwiftSyntaxMacros -lSwiftSyntaxBuilder -lSwiftDiagnostics -lSwiftParser \
  -Xlinker -rpath -Xlinker "$host" Sources/PatchMacroPlugin/*.swift -o "$PATCHPACK_MACROS"
# usage: compile FILE
compile() {
  local flags=() flag
  while IFS= read -r flag; do flags+=("$flag"); done < <(scripts/module-flags.sh .build/debug)
  "${swift}c" -typecheck -parse-as-library -swift-version 6 -diagnostic-style=llvm -DMacros -load-plugin-library "$PATCHPACK_MACROS" \
    "${flags[@]}" Sources/PatchMacros/Macros.swift "$1"
}

# Where the modules are that `make test` and Tests/Outside have built with the same flags.
for folder in .build/debug .build/packages/release; do
  "$swift" build --package-path "$here" -c "$(basename $folder)" --scratch-path "$(dirname $folder)" --quiet
  for program in shapes shapes-main-actor; do $folder/$program; done
done

# The examples in docs/runner.md compile.
# shellcheck disable=SC2016 # backticks are Markdown's
sed -n '/^```swift (with the macros)$/,/^```$/p' docs/runner.md | grep -v -e '^```' -e '^import PatchMacros$' >"$work/sample.swift"
[ -s "$work/sample.swift" ]
compile "$work/sample.swift"

# The refusals: line and message.
said() { sed -nE 's/^.*wrong\.swift:([0-9]+):[0-9]+: error: (.*) \(from macro .*$/\1 \2/p' | sort -un; }
expected() { grep -nE '// error: ' "$here/wrong.txt" | sed -E 's/^([0-9]+):.*\/\/ error: /\1 /'; }
cp "$here/wrong.txt" "$work/wrong.swift"
compile "$work/wrong.swift" 2>"$work/errors" || true
diff <(expected) <(said <"$work/errors") || {
  echo "macros: < is expected, > is the compiler's output" >&2
  exit 1
}
echo "macros: $(expected | wc -l) errors: right"
