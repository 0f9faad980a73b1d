#!/usr/bin/env bash
# Checks the changes since the last commit: their form, the build, and the tests of their modules. It installs nothing and needs
# no network. Modules that use a changed one are not built; `make test` builds and tests them all.
# usage: quick.sh [FILE...]     for these files instead of the changes; quick.sh --check only checks that every file has its tests
set -euo pipefail
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
export PATCHPACK_PLUGINS=0

# The suites in a folder or a file of tests, as a pattern.
suites() { { grep -rhoE 'struct \w+Tests\b' "$@" --include='*.swift' || true; } | sed -E 's/.* //' | paste -sd'|'; }

# Sets the target of the tests for a file, and the filter for them; empty if there are none.
find_tests() {
  target='' filter=''
  case $1 in
  Sources/COpenSSL/* | Sources/CLibzip/* | Package.swift | Tests/TestSupport/*) target=PatchCryptoTests ;;
  Sources/Libc/*) target=PatchFilesTests ;;
  Sources/PatchHTTP/* | Sources/CCurl/*) target=patchpackTests filter=ServerTests ;;
  Sources/CDecompress/*) target=PatchReportTests ;;
  Sources/PatchTesting/*) target=PatchDeviceTests ;;
  # The macros' own tests need another package: make check-packages.
  Sources/PatchMacro* | Sources/CLuaBridge/* | Sources/CLua/*) target=PatchRunnerTests ;;
  Tests/Lint/*) target=PatchLintTests ;;
  Sources/CLuaSpec/*) target=PatchSpecTests ;;
  Sources/patchpack/Commands/*) target=patchpackTests filter=$(suites "Tests/patchpackTests/$(cut -d/ -f4 <<<"$1")") ;;
  Sources/patchpack/* | Sources/CVersion/* | Sources/CLibzipLoader/*) target=patchpackTests filter=$(suites Tests/patchpackTests/Arguments Tests/patchpackTests/Output Tests/patchpackTests/Reports) ;;
  examples/shop*/*) target=ShopTests ;;
  Tests/FeedTestSupport/*) target=PatchPublishingTests ;;
  Sources/Patch*/*) target=${1#Sources/} && target=${target%%/*}Tests ;;
  Tests/*Tests/*.swift) target=${1#Tests/} && target=${target%%/*} filter=$(suites "$1") ;;
  esac
}

# `quick.sh --check`: every file of Sources and every test file must have its tests.
if [ "${1:-}" = --check ]; then
  failed=0
  files=$(git ls-files Sources 'Tests/*Tests/*.swift' 'examples/shop*/*.swift')
  while IFS= read -r file; do
    find_tests "$file"
    [ -n "$target" ] || { echo "quick: no tests are about $file" >&2 && failed=1; }
    [ -d "Tests/$target" ] || [ "$target" = ShopTests ] || { echo "quick: $file: no target $target" >&2 && failed=1; }
  done <<<"$files"
  exit $failed
fi

changed=("$@")
if [ $# -eq 0 ]; then
  files=$(git diff --name-only --diff-filter=d HEAD && git ls-files --others --exclude-standard)
  while IFS= read -r file; do [ -z "$file" ] || changed+=("$file"); done <<<"$files"
fi
[ ${#changed[@]} -gt 0 ] || { echo "quick: nothing has changed since the last commit" && exit 0; }

sources=() scripts=() targets=() filters=()
for file in "${changed[@]}"; do
  case $file in *Arities.swift) ;; *.swift) sources+=("$file") ;; *.sh | .ci/run) scripts+=("$file") ;; esac
  find_tests "$file"
  [ -z "$target" ] || { targets+=("$target") && filters+=("${filter:-$target}"); }
done
[ ${#sources[@]} -eq 0 ] || "$swift" format lint --strict "${sources[@]}"
if [ ${#scripts[@]} -gt 0 ] && command -v shellcheck >/dev/null; then shellcheck "${scripts[@]}"; fi
make --no-print-directory walls

[ ${#targets[@]} -gt 0 ] || { echo "quick: no module's tests are about the changes; make test runs all" && exit 0; }
PATCHPACK_TESTS=$(printf '%s\n' "${targets[@]}" | sort -u | paste -sd,)
export PATCHPACK_TESTS
filter=$(printf '%s\n' "${filters[@]}" | sort -u | paste -sd'|')
"$swift" build --product patchpackPackageTests
"$swift" build --product patchpack # the tests of most modules run it
"$swift" test --skip-build --quiet --filter "$filter"
