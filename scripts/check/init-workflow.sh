#!/bin/sh
# Prints the workflow that `patchpack init` writes, taken from its source.
set -eu
cd "$(dirname "$0")/../.."
sed -n '/static let workflow = """$/,/^ *"""$/p' Sources/patchpack/Templates/ProjectTemplate+Workflow.swift |
  sed '1d; $d; s/^        //' | sed '$d'
