#!/bin/bash
# Refuses the phrases in scripts/check/phrases.txt. Those before the line `# documents` apply to documents, comments and messages,
# and those after it only to documents.
set -euo pipefail
cd "$(dirname "$0")/../.."
status=0
files=('*.md' 'Sources/*.swift' 'Sources/*.c' 'Sources/*.h' 'examples/*.swift' 'scripts/*.sh' Makefile)
while IFS=$'\t' read -r phrase instead; do
  case $phrase in
    '# documents') files=('*.md' ':!CHANGELOG.md') && continue ;;
    '#'* | '') continue ;;
  esac
  found=$(git ls-files -z --cached --others --exclude-standard -- "${files[@]}" |
    xargs -0 grep -nP -- "$phrase" || true)
  [ -z "$found" ] && continue
  printf '%s\n  write: %s\n' "$found" "$instead"
  status=1
done <scripts/check/phrases.txt
exit $status
