#!/usr/bin/env bash
# Installs what the build, the demo and the tests need, and does nothing when all of it is there.
set -euo pipefail

if ! command -v "${SWIFT:-swift}" >/dev/null; then
  echo "patchpack needs Swift 6.2 or newer: https://www.swift.org/install" >&2
  exit 1
fi

if [ "$(uname)" = Darwin ]; then
  missing=()
  for package in openssl@3 libzip lua pkgconf shellcheck; do
    brew list --versions "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] || brew install "${missing[@]}"
  exit 0
fi

# libraries to build with; tools that the demo and the tests hold the results against; real Lua code to pack
packages=(
  pkg-config libssl-dev libzip-dev zlib1g-dev liblua5.4-dev
  openssl zip unzip bsdutils faketime fish zsh shellcheck
  python3 python3-cryptography python3-junitparser lcov perl softhsm2 opensc
  lua5.4 lua-penlight lua-inspect lua-dkjson
)
# what the benchmarks hold patchpack against, and count with
[ "${1:-}" != bench ] || packages+=(minisign valgrind binutils)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing ${missing[*]}"
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
