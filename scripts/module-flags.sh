#!/usr/bin/env bash
# Prints the flags, one per line, with which swiftc reads the built modules of the libraries. usage: module-flags.sh BUILD, such
# as .build/debug of this package or of one that depends on it
set -euo pipefail
build=$1
cd "$(dirname "$0")/.."
printf '%s\n' -I "$build/Modules"
for map in Sources/*/module.modulemap; do printf '%s\n' -I "$PWD/${map%/*}"; done
for module in CCurl CDecompress CLibzipLoader CLuaBridge CLuaSpec CVersion; do
  map=$build/$module.build/module.modulemap
  [ ! -f "$map" ] || printf '%s\n' -Xcc "-fmodule-map-file=$map"
done
for flag in $(pkg-config --cflags-only-I lua5.4); do printf '%s\n' -Xcc "$flag"; done
