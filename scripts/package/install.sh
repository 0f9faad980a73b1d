#!/usr/bin/env bash
# Installs the tool, its completions, its manual pages and its bill of materials.
# usage: PATCHPACK=PROGRAM install.sh FOLDER     FOLDER is the prefix, such as /usr/local
set -euo pipefail
cd "$(dirname "$0")/../.."
prefix=$1
share=$prefix/share
mkdir -p "$prefix/bin" "$share/doc/patchpack"
install -m 755 "$PATCHPACK" "$prefix/bin/patchpack"
if [ "$(uname)" = Linux ]; then
  # The linker is LLVM's, and binutils' strip would lose its read-only relocations. The two sections depend on the folder in which
  # the tool was built, and nothing reads them.
  "$(scripts/toolchain.sh)/llvm-objcopy" --strip-all --remove-section=.swift_modhash --remove-section=.note.gnu.build-id "$prefix/bin/patchpack"
  scripts/check/elf.sh "$prefix/bin/patchpack"
else
  strip "$prefix/bin/patchpack"
fi
tool=$prefix/bin/patchpack
mkdir -p "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
"$tool" completions bash >"$share/bash-completion/completions/patchpack"
"$tool" completions zsh >"$share/zsh/site-functions/_patchpack"
"$tool" completions fish >"$share/fish/vendor_completions.d/patchpack.fish"
PATCHPACK=$tool scripts/package/man.sh "$share/man"
gzip -9nf "$share"/man/man[15]/patchpack*
mkdir -p "$share/doc/patchpack/docs"
install -m 644 LICENSE README.md SECURITY.md "$share/doc/patchpack"
find docs -maxdepth 1 -type f -exec install -m 644 -t "$share/doc/patchpack/docs" {} +
# Of a link to a file that is not installed, the text; of a picture, nothing. The license has another name in the Debian package.
python3 -I - "$share/doc/patchpack" <<'END'
import pathlib, re, sys
for page in pathlib.Path(sys.argv[1]).rglob("*.md"):
    def there(link): return re.match(r"\w+:|#", link) or not link.endswith("LICENSE") and (page.parent / link.split("#")[0]).exists()
    text = re.sub(r"(?<!!)\[([^][]*)\]\(([^)\s]+)\)", lambda found: found[0] if there(found[2]) else found[1], page.read_text())
    charts = lambda found: found[0] if there(re.search('src="([^"]*)"', found[0])[1]) else ""
    page.write_text(re.sub("<picture>.*?</picture>\n", charts, text, flags=re.S))
END
gzip -9nc CHANGELOG.md >"$share/doc/patchpack/changelog.gz"
if [ "$(uname)" = Linux ]; then python3 -I scripts/package/sbom.py "$tool" >"$share/doc/patchpack/patchpack.spdx.json"; fi
printf 'installed %s; uninstall it with: make uninstall PREFIX=%q\n' "$tool" "$prefix"
# zsh searches only the configured folders. bash, fish and man find their files next to a bin folder on the PATH.
case $prefix in /usr | /usr/local) ;; *) echo "for zsh, add to ~/.zshrc, before compinit: fpath+=('$share/zsh/site-functions')" ;; esac
