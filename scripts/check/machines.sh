#!/usr/bin/env bash
# Builds and tests a fresh clone of HEAD on other releases of Debian, as a newcomer would. Each gets a new root with Debian's
# minimal system, this machine's Swift toolchain, git and make. The user is not root, may use sudo, and clones into a folder with
# an odd name.
# usage: machines.sh     as root; SUITES="bookworm trixie" and STEPS="demo test tools check-deb" select releases and steps. `tools` runs
#                        the tests that need more programs than `make test` installs, and `compile` builds all but the tests.
#                        TOOLCHAIN=debian takes Debian's own Swift, which SUITES=sid has.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/check/root.sh
own_namespaces "$0"
toolchain=${TOOLCHAIN:-$(readlink -f "$(scripts/toolchain.sh)/..")}
roots=$(mktemp -d /var/tmp/machines.XXXXXX)
root='' # of the current release
trap '[ -z "$root" ] || remove_root "$root"; rm -rf --one-file-system "$roots"' EXIT
clone="/home/dev/it's a \$(touch pwned) folder"
summary=()
failed=0

make_machine() {
  if [ "$toolchain" = debian ]; then
    make_root "$1" "$root" ca-certificates,git,make,sudo,swiftlang
  else
    # The packages after `sudo` are the ones that swift.org's page requires.
    make_root "$1" "$root" ca-certificates,git,make,sudo,g++,libsqlite3-0,libxml2,libncurses6,libcurl4,tzdata
    mkdir -p "$root/opt/swift/usr"
    mount --bind "$toolchain" "$root/opt/swift/usr"
    mount -o remount,bind,ro "$root/opt/swift/usr"
  fi
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
    check-deb)
      chroot "$root" su - dev -c 'make deb' &&
        chroot "$root" sh -c 'cd /home/dev/*folder && scripts/deps.sh deb && scripts/check/deb-check.sh dist/*.deb'
      ;;
    tools) chroot "$root" su - dev -c "scripts/deps.sh tools && make test ONLY=$tools" ;;
    compile) chroot "$root" su - dev -c "scripts/deps.sh build && PATCHPACK_PLUGINS=0 swift build" ;;
    *) chroot "$root" su - dev -c "make $1" ;;
    esac 2>&1; } 2>"$roots/time" || status=$?
  if [ "$status" = 0 ]; then
    summary+=("$suite: $1 passed in $(<"$roots/time")")
  else
    summary+=("$suite: error: $1 failed with $status after $(<"$roots/time")")
    failed=1
  fi
}

tools=$(git grep -l '\.needs("' -- 'Tests/*Tests/*.swift' | sed 's|.*/||; s|\.swift$||' | paste -sd,)
for suite in ${SUITES:-bookworm trixie}; do
  root=$roots/$suite
  make_machine "$suite"
  for name in ${STEPS:-demo test check-deb}; do step "$name"; done
  pwned=$(find "$root/home" -name pwned)
  if [ -n "$pwned" ]; then
    summary+=("$suite: error: the name of the folder was run as a command")
    failed=1
  fi
  remove_root "$root"
  root=''
done
printf '%s\n' "${summary[@]}"
exit "$failed"
