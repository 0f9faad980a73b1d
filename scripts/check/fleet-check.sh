#!/usr/bin/env bash
# Makes the events of simulated devices, and of made-up fleets with installations that lie, and compares `patchpack report` with
# ClickHouse's own engine (chdb, from PyPI).
# usage: FLEET=PROGRAM PATCHPACK=PROGRAM fleet-check.sh     of DEVICES=100000 and FLEETS=50
set -euo pipefail
cd "$(dirname "$0")/../.."
engine=chdb==4.4.0
venv=.build/engine
if ! "$venv/bin/pip" freeze 2>/dev/null | grep -q "^$engine$"; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$engine"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$FLEET" --events "$work/events" "${DEVICES:-100000}"
# ClickHouse reads each file in one part.
"$venv/bin/python" examples/fleet/check.py "$PATCHPACK" "$work"/events/*.jsonl
"$venv/bin/python" examples/fleet/check.py "$PATCHPACK" --fleets "${FLEETS:-50}"
