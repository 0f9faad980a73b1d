#!/bin/bash
# Refuses the phrases of scripts/check/phrases.txt in documents, comments and messages.
set -euo pipefail
cd "$(dirname "$0")/../.."
status=0
while IFS=$'\t' read -r phrase instead; do
  case $phrase in '#'* | '') continue ;; esac
  found=$(git ls-files -z --cached --others --exclude-standard -- \
    '*.md' 'Sources/*.swift' 'Sources/*.c' 'Sources/*.h' 'examples/*.swift' 'scripts/*.sh' Makefile |
    xargs -0 grep -nP -- "$phrase" || true)
  [ -z "$found" ] && continue
  printf '%s\n  write: %s\n' "$found" "$instead"
  status=1
done <scripts/check/phrases.txt
exit $status
