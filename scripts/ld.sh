#!/bin/sh
# lld, for the tool: it names no library that the tool uses nothing of. SwiftPM puts all options after the libraries, too late for this one.
exec "$("$(dirname "$0")/toolchain.sh")/ld.lld" --as-needed "$@"
