#!/usr/bin/env bash
# Installs missing packages. Does nothing if all of them are installed.
# usage: deps.sh [build|release|demo|test|tools|lint|install|package|deb|machines|page|monitoring|bench|ci|nightly]
#        tools has the programs that more tests use, which `make test` omits if they are missing. ci has those that `.ci/run` needs, nightly all.
set -euo pipefail
what=${1:-build}

# An installed toolchain may still lack libraries. swift.org's page lists them for each system.
if ! said=$("${SWIFT:-swift}" --version 2>&1); then
  printf 'patchpack needs Swift 6.2 or newer, and the packages that it needs: https://www.swift.org/install\n%s\n' "$said" >&2
  exit 1
fi

# Packagers have installed them.
[ -z "${NO_DEPS:-}" ] || exit 0

if [ "$(uname)" = Darwin ]; then
  missing=()
  packages=(openssl@3 libzip lua curl zstd pkgconf)
  case $what in
  build | release | demo) ;;
  lint) packages=(shellcheck clang-format) ;;
  install | package) packages+=(lowdown) ;;
  *) packages+=(shellcheck) ;;
  esac
  for package in "${packages[@]}"; do
    brew list --versions "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && exit 0
  echo "patchpack needs ${missing[*]}: brew install ${missing[*]}"
  brew install "${missing[@]}"
  exit 0
fi

# The packages of a set.
list() {
  case $1 in
  build) echo pkg-config libssl-dev libzip-dev zlib1g-dev liblua5.4-dev libcurl4-openssl-dev libzstd-dev ;;
  # the static C++ library, which Debian's own Swift does not bring
  release) list build && { [ -e "$("$("${BASH_SOURCE%/*}/toolchain.sh")/clang" -print-file-name=libstdc++.a)" ] || echo g++; } ;;
  # real Lua code to pack, and a web server
  demo) list build && echo lua-penlight lua-inspect python3 ;;
  test) list demo && echo openssl zip unzip zstd patch faketime rsync lua5.4 lua-dkjson python3-cryptography curl xz-utils ;;
  # other readers of what patchpack writes, and servers; the tests that use them have the trait .needs
  tools)
    list test
    echo zsh fish lcov mandoc lowdown softhsm2 opensc locales libluajit-5.1-2 lua-busted lua-check nginx-light varnish tinyproxy
    echo python3-venv python3-html5lib python3-jsonschema python3-prometheus-client
    ;;
  lint) echo git shellcheck clang-format python3 python3-venv ;;
  install) list release && echo python3 binutils lowdown ;;
  package) list install && echo dpkg-dev git xz-utils ;;
  # tools that check a package
  deb) list package && echo lintian mmdebstrap ;;
  # tools that make other releases of Debian
  machines) echo mmdebstrap git iproute2 openssl python3 ;;
  # a browser for the pages
  page) list demo && echo chromium fonts-dejavu-core ;;
  # monitoring for a fleet
  monitoring) echo prometheus prometheus-node-exporter prometheus-alertmanager curl python3 ;;
  # tools to compare patchpack with in the benchmarks, and to count instructions
  bench) list tools && echo minisign valgrind ;;
  ci) for set in lint tools bench; do list $set; done ;;
  nightly) for set in ci deb machines page monitoring; do list $set; done ;;
  *) echo "deps.sh: there is no set $1" >&2 && return 64 ;;
  esac
}
all=$(list "$what" | tr ' ' '\n' | sort -u)
# Two steps that run at the same time would be in each other's way.
exec 9<"${BASH_SOURCE[0]}"
flock 9
missing=()
for package in $all; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
echo "to $what, patchpack needs packages that are not installed; this installs them now:"
echo "  ${sudo[*]:+sudo }apt-get install ${missing[*]}"
# sudo keeps no variable. A service that a package starts does not keep the lock.
apt() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" 9<&-; }
{ apt update && apt install -y --no-install-recommends "${missing[@]}" >/dev/null; } || {
  echo "deps.sh: not installed; let root run: apt-get install ${missing[*]}" >&2
  echo "deps.sh: if their files are there in another way, set the variable NO_DEPS=1" >&2
  exit 1
}
