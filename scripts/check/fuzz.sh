#!/usr/bin/env bash
# Fuzzes the code that reads untrusted input, with libFuzzer and the address sanitizer, and reports the coverage.
# usage: fuzz.sh [SECONDS] [TARGET...]; MERGE=1 in the environment adds inputs that reach new code to Fuzz/corpus.
#
# An input that crashes, hangs or leaks is kept in .build/fuzz/crashes. Make a test vector from it.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
shift || true
targets=("$@")
tools=$(scripts/toolchain.sh)
runtime=$("$tools/clang" -print-resource-dir)/lib
export PATCHPACK_FUZZER_LIBRARY
PATCHPACK_FUZZER_LIBRARY=$(find -L "$runtime" -name "libclang_rt.fuzzer_no_main*$(uname -m)*.a" -o -name 'libclang_rt.fuzzer_no_main_osx.a' | head -n 1)
export SWIFT_BACKTRACE=enable=no LSAN_OPTIONS="suppressions=\"$PWD/Tests/leaks.supp\":print_suppressions=0"
built=$("${SWIFT:-swift}" build --package-path Fuzz) || { grep -a ' error:' <<<"$built" | sort -u >&2 || true; exit 1; }
tail -n 1 <<<"$built"
fuzz=$(readlink -f Fuzz/.build/debug/fuzz)
# Without arguments it lists its targets.
[ ${#targets[@]} -gt 0 ] || read -ra targets < <("$fuzz" | sed -n 's/^targets: //p')
work=$PWD/.build/fuzz
mkdir -p "$work/crashes"
# The folder for a target's files, in memory if possible.
TMPDIR=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# The system's Python has the packages that `deps` installed.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" Fuzz/seeds.py "$work/seeds"

# The source files that each target tests.
aims() {
  case $1 in
    envelope) echo Envelope/UnverifiedEnvelope Envelope/EnvelopeFormat Envelope/SignedEnvelope Envelope/SignableEnvelope Verification/EnvelopeVerifier OpenSSL/Base64 ;;
    zip) echo Archive/ZipDirectory LibZip/ZipArchive Envelope/EnvelopeContents Envelope/UnverifiedContents ;;
    manifest) echo Manifest/Manifest.swift Manifest/ManifestCoding Text/NameForm Text/JSONReader Text/JSONValue.swift ;;
    tags) echo Manifest/ScriptHead Manifest/ManifestFields.swift ;;
    ranges) echo Text/AppVersion Text/Timestamp PatchText/Spelling ;;
    arguments) echo patchpack/Arguments ;;
    trust) echo Keys/TrustStoreFile OpenSSL/PEM OpenSSL/SubjectPublicKeyInfo ;;
    keystore) echo Keys/KeyStoreFile ;;
    metadata) echo PatchFeed/Metadata Text/JSONObject PatchFeed/Client/URLPath ;;
    state) echo PatchDevice/Store/StoreState+JSON ;;
    list) echo PatchFeed/Rollout ;;
    events) echo PatchReport/EventReader PatchReport/TextTable PatchReport/DeviceTable PatchReport/ReportBuilder PatchReport/Share ;;
    types) echo PatchLint/ PatchText/Spelling ;;
    spec) echo PatchSpec/ PatchLint/Values Reports/TestReport Reports/JUnit Reports/TAP ;;
    report) echo CDecompress/decompress PatchReport/EventInput PatchReport/ReportGate PatchReport/ConfidenceSequence Reports/FleetReport Reports/ReportGateResult Reports/ReportNumbers Reports/HTMLPage ;;
    repository) echo PatchPublishing/Repository/FeedRepository.swift FeedRepository+Reading FeedRepository+Signing FeedRepository+Difference FeedRepository+Serving SnapshotPosition PatchPublishing/History/FeedHistory MetadataBodies PatchListDraft PatchEntryDraft Feed/FeedRepository+Overview Feed/FeedPage ;;
    sync) echo PatchDevice/Sync PatchDevice/Store PatchFeed/Client ;;
    canonical) echo PatchFeed/Format/CanonicalJSON Text/JSONReader ;;
    lua) echo CLuaBridge/ PatchRunner/Sandbox PatchRunner/Lua PatchRunner/Runtime/ScriptLoader PatchLint/Lint/Linter ;;
  esac
}

failed=0
touch "$work/start"
for target in "${targets[@]}"; do
  found=$work/found/$target
  mkdir -p "$found"
  corpora=("$found")
  for folder in "Fuzz/corpus/$target" "$work/seeds/$target"; do [ ! -d "$folder" ] || corpora+=("$folder"); done
  size=4096
  case $target in
    envelope) corpora+=(Tests/Vectors/accepted Tests/Vectors/framing Tests/Vectors/signature Tests/Vectors/decrypt) ;;
    tags) corpora+=(examples/patches) ;;
    trust) corpora+=(Tests/Vectors/keys) ;;
    keystore) corpora+=(Tests/Vectors/keys) ;;
    lua) corpora+=(Tests/PatchRunnerTests/Hostile/scripts examples/patches) ;;
  esac
  case $target in ranges | arguments) size=512 ;; zip) size=16384 ;; esac
  # A thread that has just ended looks like a leak, and the search for leaks takes longer than the input.
  leaks=1
  case $target in report | sync) leaks=0 ;; esac
  options=(-timeout=20 -rss_limit_mb=4096 "-detect_leaks=$leaks" "-max_len=$size" -artifact_prefix="$work/crashes/$target-" -print_final_stats=1)
  case $target in
    repository | sync) words=(metadata list trust) ;;
    spec) words=(spec lua) ;;
    report) words=(report events) ;;
    *) words=("$target") ;;
  esac
  for name in "${words[@]}"; do cat "Fuzz/dictionaries/$name.dict"; done >"$work/$target.dict"
  options+=("-dict=$work/$target.dict")
  export LLVM_PROFILE_FILE=$work/$target.profraw
  if ! "$fuzz" "$target" -max_total_time="$seconds" "${options[@]}" "${corpora[@]}" >"$work/$target.log" 2>&1; then
    failed=1
    grep -E 'ERROR|SUMMARY|Fatal|artifact' "$work/$target.log" | head -n 5
  fi
  if [ -n "${MERGE:-}" ]; then
    mkdir -p "Fuzz/corpus/$target"
    LLVM_PROFILE_FILE=/dev/null "$fuzz" "$target" -merge=1 "-max_len=$size" "Fuzz/corpus/$target" "${corpora[@]}" >"$work/merge.log" 2>&1
  fi
  "$tools/llvm-profdata" merge -o "$work/$target.profdata" "$LLVM_PROFILE_FILE"
  files=()
  for aim in $(aims "$target"); do
    while read -r file; do files+=("$file"); done < <(find -L "$PWD/Fuzz/Sources" -path "*$aim*" \( -name '*.swift' -o -name '*.c' \))
  done
  lines=$("$tools/llvm-cov" report "$fuzz" -instr-profile="$work/$target.profdata" "${files[@]}" 2>/dev/null | awk '$1 == "TOTAL" { print $10 }')
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$target.log")
  crashes=$(find "$work/crashes" -name "$target-*" -newer "$work/start" | wc -l)
  printf '%-10s %10s runs in %s s, %s of the lines that it aims at, %s finds\n' "$target" "${runs:-?}" "$seconds" "${lines:-?}" "$crashes"
done
exit $failed
