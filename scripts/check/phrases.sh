#!/bin/bash
# Refuses the phrases in scripts/check/phrases.txt. Those before the line `# documents` apply to documents, code, comments and
# messages, and those after it to documents and to the prose in sources: comments and Swift's strings, which prose.py prints.
# scripts/check/phrases-samples.txt has sentences for the rows: each row must refuse one, and must not refuse the right ones.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C # grep is faster without UTF-8
status=0 samples=scripts/check/phrases-samples.txt
documents=('*.md' 'Sources/*.swift' 'Sources/*.c' 'Sources/*.h' 'examples/*.swift' 'scripts/*.sh' Makefile)
folder=$(mktemp -d) && trap 'rm -r "$folder"' EXIT
: >"$folder/prose"
sed -n 's/^- //p' "$samples" >"$folder/wrong"
sed -n 's/^+ //p' "$samples" >"$folder/right"

fault() { printf '%s\n' "$*" && status=1; }

while IFS=$'\t' read -r phrase instead; do
  case $phrase in
    '# documents')
      documents=('*.md' ':!CHANGELOG.md')
      scripts/check/prose.py >"$folder/prose"
      continue
      ;;
    '#'* | '') continue ;;
  esac
  # xargs hides a failure of grep: a wrong expression ends the script here.
  grep -P -- "$phrase" /dev/null || [ $? = 1 ]
  found=$(
    git ls-files -z --cached --others --exclude-standard -- "${documents[@]}" | xargs -0 grep -nP -- "$phrase" || true
    grep -P -- "$phrase" "$folder/prose" || true
  )
  [ -z "$found" ] || fault "$found"$'\n'"  write: $instead"
  grep -P -- "$phrase" "$folder/wrong" >>"$folder/refused" || fault "$samples: no sentence for the row: $phrase"
  ! grep -P -- "$phrase" "$folder/right" || fault "$samples: refused by the row: $phrase"
done <scripts/check/phrases.txt
! grep -vxFf "$folder/refused" "$folder/wrong" || fault "$samples: refused by no row"
exit $status
