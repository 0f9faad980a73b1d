#!/usr/bin/env bash
# Prints the folder of the Swift toolchain's programs. `swift` itself may link to a program that chooses one, as in swiftly.
set -euo pipefail
resources=$("${SWIFT:-swift}" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
cd "$resources/../../bin" && pwd
