#!/usr/bin/env bash
# Runs the tests and reports the line coverage of the sources.
set -euo pipefail

swift=${SWIFT:-swift}
llvm_cov=$(scripts/toolchain.sh)/llvm-cov
[ -x "$llvm_cov" ] || llvm_cov=$(xcrun --find llvm-cov)
"$swift" test --enable-code-coverage
build=$("$swift" build --show-bin-path)
profile=$build/codecov/default.profdata
tests=$(find "$build" -maxdepth 1 -name '*PackageTests.xctest')
mkdir -p coverage
"$llvm_cov" export -format=lcov -instr-profile "$profile" "$build/patchpack" -object "$tests" \
  -ignore-filename-regex '(\.build|Tests)/' >coverage/lcov.info
"$llvm_cov" report -instr-profile "$profile" "$build/patchpack" -object "$tests" \
  -ignore-filename-regex '(\.build|Tests)/' | tee coverage/summary.txt
