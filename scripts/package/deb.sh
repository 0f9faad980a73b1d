#!/usr/bin/env bash
# Makes a Debian package of the tool, for the release of Debian that it is built on and newer ones. The same source makes the same
# bytes on the same system.
# usage: PATCHPACK=PROGRAM deb.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
version=$(scripts/version.sh debian)
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
scripts/package/install.sh "$work/root/usr"
cd "$work/root"
mkdir -p usr/share/zsh/vendor-completions debian DEBIAN
mv usr/share/zsh/site-functions/_patchpack usr/share/zsh/vendor-completions/
rmdir usr/share/zsh/site-functions
mv usr/share/doc/patchpack/changelog.gz usr/share/doc/patchpack/NEWS.gz
{
  echo "patchpack ($version) stable; urgency=medium"
  printf '\n  * See NEWS.gz.\n\n'
  echo " -- the patchpack developers <patchpack@example.com>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >usr/share/doc/patchpack/changelog.gz
{
  printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\n'
  printf 'Copyright: the patchpack developers\nLicense: %s\n' "$(sed -n '1s/ .*//p' "$OLDPWD/LICENSE")"
  tail -n +2 "$OLDPWD/LICENSE" | sed 's/^$/./; s/^/ /'
} >usr/share/doc/patchpack/copyright
rm usr/share/doc/patchpack/LICENSE
: >debian/control
depends=$(dpkg-shlibdeps -O usr/bin/patchpack 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
# Packed relative relocations need a glibc that can read them, which dpkg-shlibdeps does not detect.
dynamic=$(readelf -d usr/bin/patchpack)
if [[ $dynamic == *RELR* ]]; then
  depends=$(sed -E 's/libc6 \(>= 2\.(3[0-5]|[0-2]?[0-9])\)/libc6 (>= 2.36)/' <<<"$depends")
fi
rm -r debian
# The tool loads libzip by itself. OpenSSL's package has two names, and provides the one of Debian 12 on Debian 13 too.
depends+=', libzip5 | libzip4t64 | libzip4'
cat >DEBIAN/control <<END
Package: patchpack
Version: $version
Architecture: $architecture
Maintainer: the patchpack developers <patchpack@example.com>
Installed-Size: $(du -sk --apparent-size usr | cut -f1)
Depends: $depends
Recommends: libcurl4
Suggests: libzstd1
Section: devel
Priority: optional
Description: pack, verify and deliver signed Lua patches
 patchpack turns Lua scripts into signed, encrypted envelopes, verifies and
 opens them, tests them in the sandbox that apps run them in, publishes them in
 a signed feed (The Update Framework), and reports how they run on devices.
END
find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum -- >DEBIAN/md5sums
cd "$OLDPWD"
mkdir -p "$1"
rm -f "$1"/patchpack_*_"$architecture".deb
file=$1/patchpack_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$work/root" "$file" >/dev/null
echo "$file"
