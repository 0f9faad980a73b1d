#!/usr/bin/env bash
# Makes the root of a new system of Debian, for the scripts that read this file. Only root can. Its mounts and processes end with
# the namespaces of the script.
# usage: . root.sh; own_namespaces "$0" "$@"; make_root SUITE FOLDER [PACKAGE,...]
#        root.sh     ends with 77 if this user or this container cannot make one, and CI leaves the step out (scripts/ci/steps.py)

needs_namespaces() {
  [ "$(id -u)" -eq 0 ] || { echo "left out: only root can make the root of a system" && exit 77; }
  unshare --mount --pid --fork true 2>/dev/null || { echo "left out: this container may make no namespaces" && exit 77; }
}
[ "${BASH_SOURCE[0]}" != "$0" ] || needs_namespaces

# Runs a script again, in namespaces of its own.
own_namespaces() {
  needs_namespaces
  [ -n "${OWN_NAMESPACES:-}" ] || OWN_NAMESPACES=1 exec unshare --mount --pid --fork --kill-child "$@"
}

# Debian's minimal system, apt, and the given packages. A mirror may be a snapshot, whose date is over.
make_root() {
  mmdebstrap --quiet --aptopt='Acquire::Check-Valid-Until "false"' --variant=minbase ${3:+--include="$3"} "$1" "$2" http://deb.debian.org/debian
  cp /etc/resolv.conf "$2/etc/resolv.conf"
  printf '127.0.0.1 localhost %s\n::1 localhost\n' "$(uname -n)" >"$2/etc/hosts"
  mount -t proc proc "$2/proc"
}

remove_root() {
  umount --recursive --lazy "$1"/{opt/swift/usr,proc,dev} 2>/dev/null || true
  rm -rf --one-file-system "$1"
}
