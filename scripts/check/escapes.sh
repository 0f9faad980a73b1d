#!/usr/bin/env bash
# Refuses comparisons and replacements of Characters in the files that write formats. A Character may be several Unicode scalars,
# so `"<"` differs from a Character that begins with `<`. Sources/PatchText/Escape.swift has the rules of each format.
set -euo pipefail
cd "$(dirname "$0")/../.."
files=(
  Sources/PatchText/Escape.swift Sources/PatchCrypto/Text/JSONValue.swift Sources/PatchLint/Interface/PatchInterface+Stubs.swift
  Sources/patchpack/Reports/*.swift Sources/patchpack/Commands/Tool/*.swift
  Sources/patchpack/Commands/Keys/EmbedCommand.swift Sources/patchpack/Targets/*.swift Sources/patchpack/System/ShellCommand.swift
)
# shellcheck disable=SC2016 # $0 is Swift's
characters='\.replacing\(|\.replacingOccurrences|switch (char|character)\b|(map|flatMap|filter|allSatisfy|contains) \{ *\$0 == "|\$0\.isNewline|case "[<>&]"'
# A status above 1 is a failure of grep, such as a file that has another name now.
found=$(grep -nE "$characters" "${files[@]}") || [ $? = 1 ]
found=$(grep -vE '^Sources/PatchText/Escape\.swift:[0-9]+: +case "[<>&]"|^$' <<<"$found") || [ $? = 1 ]
if [ -n "$found" ]; then
  echo "$found"
  echo "escapes: escape bytes or unicode scalars: Sources/PatchText/Escape.swift" >&2
  exit 1
fi
