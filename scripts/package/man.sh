#!/usr/bin/env bash
# Writes the manual pages of the verbs, and of the formats from docs/.
# usage: PATCHPACK=PROGRAM man.sh FOLDER     FOLDER gets man1 and man5
set -euo pipefail
cd "$(dirname "$0")/../.."
"$PATCHPACK" man --output "$1/man1" --force --quiet
mkdir -p "$1/man5"

# Makes a page from Markdown. man does not have lowdown's font for code, and links out of docs/ would lead nowhere.
page() {
  sed -E 's/\]\((\.\.\/|[a-z-]+\.md)[^)]*\)/]/g; s/\[([^]]*)\]([^(]|$)/\1\2/g' "docs/$1.md" |
    lowdown -s -Tman -m title="PATCHPACK-$(tr "[:lower:]" "[:upper:]" <<<"$1")" -m section=5 -m date="$day" |
    awk -v name="patchpack-$1" -v about="$2" '
      /^\.TH/ { print; print ".SH NAME"; print name " \\- " about; next }
      { gsub(/\\fC/, "\\fB") }
      /^\.[LP]P/ && heading { next }
      { heading = /^\.S[HS]/ ? (NF == 1 ? 2 : 1) : (heading == 2) }  # the title may be on the next line
      /^\.(EX|TS)/ { verbatim = 1 }
      /^\.(EE|TE)/ { verbatim = 0 }
      verbatim || /^\./ || length($0) <= 78 { print; next }
      {
        line = ""
        for (i = 1; i <= NF; i++) {
          if (line != "" && length(line " " $i) > 78) { print line; line = "" }
          line = line (line == "" ? "" : " ") $i
        }
        print line
      }' >"$3"
  # The first line declares to man and lintian that the page has tables.
  ! grep -q '^\.TS' "$3" || [ "$(head -c 3 "$3")" = "'\\\"" ] || sed -i "1i '\\\\\" t" "$3"
}
day=$(sed -n 's/^let toolDate = "\(.*\)"$/\1/p' Sources/patchpack/Version.swift)
page format "the format of patch envelopes" "$1/man5/patchpack-format.5"
page feed "the format of feeds" "$1/man5/patchpack-feed.5"
