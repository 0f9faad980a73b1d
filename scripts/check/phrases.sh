#!/bin/bash
# Refuses the phrases in scripts/check/phrases.txt. Those before the line `# documents` apply to documents, code, comments and
# messages, and those after it to documents and to the comments of Swift and C.
set -euo pipefail
cd "$(dirname "$0")/../.."
status=0
sources=('Sources/*.swift' 'Sources/*.c' 'Sources/*.h')
documents=('*.md' "${sources[@]}" 'examples/*.swift' 'scripts/*.sh' Makefile)
comments=()

# Prints the lines of some files in which an expression is found: `find EXPRESSION FILES...`.
find() { git ls-files -z --cached --others --exclude-standard -- "${@:2}" | xargs -0 grep -nP -- "$1" || true; }

while IFS=$'\t' read -r phrase instead; do
  case $phrase in
    '# documents') documents=('*.md' ':!CHANGELOG.md') comments=("${sources[@]}" 'Tests/*.swift') && continue ;;
    '#'* | '') continue ;;
  esac
  found=$(
    find "$phrase" "${documents[@]}"
    [ ${#comments[@]} = 0 ] || find "^(?:[^\"]|\"[^\"]*\")*?//.*(?:$phrase)" "${comments[@]}"
  )
  [ -z "$found" ] && continue
  printf '%s\n  write: %s\n' "$found" "$instead"
  status=1
done <scripts/check/phrases.txt
exit $status
