#!/usr/bin/env bash
# Checks the Debian package with lintian, and in a system that has only Debian's essential packages.
# usage: deb-check.sh FILE.deb     as root
set -euo pipefail
# shellcheck source=scripts/check/root.sh
. "$(dirname "$0")/root.sh"
own_namespaces "$0" "$@"
package=$(readlink -f "$1")
lintian --tag-display-limit 0 --allow-root --fail-on warning "$package"
system=$(mktemp -d)
trap 'remove_root "$system"' EXIT
make_root "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$system"
cp "$package" "$system/tmp/patchpack.deb"
chroot "$system" sh -euxc '
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends /tmp/patchpack.deb >/dev/null
  cd /tmp
  patchpack init project --app com.example.shop --quiet
  patchpack keygen --output keys --profile modern --quiet
  patchpack pack project/patches/hello.lua --output dist --signing-key keys/signing.pem --script-key keys/script.key
  patchpack verify dist/hello.js --trusted-key keys/trusted.pem --script-key keys/script.key
  test -s /usr/share/doc/patchpack/patchpack.spdx.json
  dpkg --remove patchpack >/dev/null
'
umount "$system/proc"
status=0
said=$(chroot "$system" sh -c 'dpkg --install /tmp/patchpack.deb >/dev/null && patchpack --version' 2>&1) || status=$?
# Without /proc, a Swift program has no arguments. This one reports that.
if [ "$status" != 69 ] || ! grep -q "/proc is not mounted" <<<"$said"; then
  echo "without /proc: $status, $said" >&2
  exit 1
fi
echo "$(basename "$1"): $(stat -c %s "$package") bytes; lintian finds nothing, and it works in a new system"
