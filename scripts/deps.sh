#!/usr/bin/env bash
# Installs missing packages. Does nothing if all of them are installed.
# usage: deps.sh [lint|build|demo|test|bench|page|monitoring|package|deb-check|machines]
#        Each of build, demo, test and bench includes the packages of the ones before it.
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
  packages=(openssl@3 libzip lua curl boost zstd pkgconf)
  case $what in
  build | demo) ;;
  lint) packages=(shellcheck) ;;
  package) packages+=(lowdown) ;;
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

packages=(pkg-config libssl-dev libzip-dev zlib1g-dev liblua5.4-dev libcurl4-openssl-dev libzstd-dev)
# Boost.JSON. The libboost-dev of Debian 12 is too old for it, but Debian 12 has a newer package too.
case $(sed -n "s/^VERSION_CODENAME=//p" /etc/os-release) in
bookworm) packages+=(libboost1.81-dev) ;;
*) packages+=(libboost-dev) ;;
esac
# only the packages for the checks of form
[ "$what" != lint ] || packages=(git shellcheck python3 python3-venv)
# real Lua code to pack, and a web server
case $what in demo | test | bench) packages+=(lua-penlight lua-inspect python3) ;; esac
# tools to compare results with in the tests
case $what in
test | bench)
  packages+=(
    openssl zip unzip zstd patch bsdutils faketime fish zsh shellcheck
    python3-venv python3-cryptography python3-junitparser python3-jsonschema python3-html5lib python3-prometheus-client libxml2-utils lcov perl softhsm2 opensc
    lua5.4 libluajit-5.1-2 lua-dkjson lua-busted lua-check locales mandoc groff-base lowdown bsdextrautils binutils rsync nginx-light varnish tinyproxy
  )
  ;;
esac
# tools that make a package
[ "$what" != package ] || packages+=(python3 binutils lowdown dpkg-dev git)
# tools that make other releases of Debian
[ "$what" != machines ] || packages=(mmdebstrap git)
# tools that check it
[ "$what" != deb-check ] || packages+=(lintian mmdebstrap)
# a browser for the pages
[ "$what" != page ] || packages+=(chromium fonts-dejavu-core)
# monitoring for a fleet
[ "$what" != monitoring ] || packages=(prometheus prometheus-node-exporter prometheus-alertmanager curl python3)
# tools to compare patchpack with in the benchmarks, and to count instructions
[ "$what" != bench ] || packages+=(jq minisign php-cli php-zip valgrind)
# Two steps that run at the same time would be in each other's way.
exec 9<"${BASH_SOURCE[0]}"
flock 9
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
echo "to $what, patchpack needs packages that are not installed; this installs them now:"
echo "  ${sudo[*]:+sudo }apt-get install ${missing[*]}"
if [ ${#sudo[@]} -gt 0 ] && ! command -v sudo >/dev/null; then
  echo "there is no sudo here; let root run: apt-get install ${missing[*]}" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# A service that a package starts does not keep the lock.
"${sudo[@]}" apt-get update -qq 9<&-
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null 9<&-
