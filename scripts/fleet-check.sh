#!/usr/bin/env bash
# Makes the events of simulated devices, and compares `patchpack report` with ClickHouse's own engine (chdb, from PyPI) over them.
# usage: FLEET=PROGRAM PATCHPACK=PROGRAM fleet-check.sh DEVICES
set -euo pipefail
cd "$(dirname "$0")/.."
python=.build/chdb/bin/python
if ! $python -c 'import chdb' 2>/dev/null; then
  python3 -m venv .build/chdb
  .build/chdb/bin/pip install --quiet --disable-pip-version-check chdb==4.4.0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$FLEET" --events "$work/events" "$1"
# ClickHouse reads each file in one part.
$python examples/fleet/check.py "$PATCHPACK" "$work"/events/*.jsonl
