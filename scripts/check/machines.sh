#!/usr/bin/env bash
# Builds and tests a fresh clone of HEAD on other releases of Debian, as a newcomer would. Each gets a new root with Debian's
# minimal system, this machine's Swift toolchain, git and make. The user is not root, may use sudo, and clones into a folder with
# an odd name.
# usage: machines.sh SUITE...     as root; STEPS="demo test deb-check" selects the steps
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo "machines: only root can make the root of another release" >&2 && exit 1; }

# Mounts and processes that are left at the end disappear with their namespaces.
if [ "${1:-}" != --unshared ]; then exec unshare --mount --pid --fork --kill-child "$0" --unshared "$@"; fi
shift
toolchain=$(readlink -f "$(scripts/toolchain.sh)/..")
roots=$(mktemp -d /var/tmp/machines.XXXXXX)
root='' # of the current release
# shellcheck disable=SC2317 # the trap calls it
finish() {
  [ -z "$root" ] || umount --recursive --lazy "$root"/{opt/swift/usr,proc,dev} 2>/dev/null || true
  rm -rf --one-file-system "$roots"
}
trap finish EXIT
clone="/home/dev/it's a \$(touch pwned) folder"
summary=()
failed=0

make_root() {
  # The packages after `sudo` are the ones that swift.org's page requires.
  mmdebstrap --quiet --variant=minbase \
    --include=ca-certificates,git,make,sudo,g++,libsqlite3-0,libxml2,libncurses6,libcurl4,tzdata \
    "$1" "$root" http://deb.debian.org/debian
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  printf '127.0.0.1 localhost %s\n::1 localhost\n' "$(uname -n)" >"$root/etc/hosts"
  mkdir -p "$root/opt/swift/usr"
  mount --bind "$toolchain" "$root/opt/swift/usr"
  mount -o remount,bind,ro "$root/opt/swift/usr"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  chroot "$root" useradd --create-home --shell /bin/bash dev
  echo 'dev ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/dev"
  git clone --quiet --no-local . "$root$clone"
  # shellcheck disable=SC2016 # the shell in the root expands it
  printf 'export PATH=/opt/swift/usr/bin:$PATH\ncd /home/dev/*folder\n' >>"$root/home/dev/.profile"
  chroot "$root" chown -R dev: /home/dev
}

# Runs a step in the root and records its time. The login shell has a user's PATH, without /usr/sbin.
step() {
  local status=0
  echo "== $suite: $1"
  TIMEFORMAT='%0R s, of processor time %0U s'
  { time case $1 in
    deb-check)
      chroot "$root" su - dev -c 'make deb' &&
        chroot "$root" sh -c 'cd /home/dev/*folder && scripts/deps.sh deb-check && scripts/check/deb-check.sh dist/*.deb'
      ;;
    *) chroot "$root" su - dev -c "make $1" ;;
    esac 2>&1; } 2>"$roots/time" || status=$?
  if [ "$status" = 0 ]; then
    summary+=("$suite: $1 passed in $(<"$roots/time")")
  else
    summary+=("$suite: error: $1 failed with $status after $(<"$roots/time")")
    failed=1
  fi
}

for suite; do
  root=$roots/$suite
  make_root "$suite"
  for name in ${STEPS:-demo test deb-check}; do step "$name"; done
  pwned=$(find "$root/home" -name pwned)
  if [ -n "$pwned" ]; then
    summary+=("$suite: error: the name of the folder was run as a command")
    failed=1
  fi
  umount --recursive --lazy "$root"/{opt/swift/usr,proc,dev}
  rm -rf --one-file-system "$root"
  root=''
done
printf '%s\n' "${summary[@]}"
exit "$failed"
