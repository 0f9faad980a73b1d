#!/usr/bin/env bash
# Makes the events of simulated devices, and compares `patchpack report` with ClickHouse's own engine (chdb, from PyPI).
# usage: FLEET=PROGRAM PATCHPACK=PROGRAM fleet-check.sh DEVICES [bench]
#   bench    measures both, DuckDB and jq, instead of comparing the results
set -euo pipefail
cd "$(dirname "$0")/../.."
what=${2:-check}
engines=(chdb==4.4.0)
[ "$what" = check ] || engines+=(duckdb==2.0.0)
venv=.build/engines-$what
if ! "$venv/bin/pip" freeze 2>/dev/null | grep -q "^${engines[-1]}$"; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "${engines[@]}"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$FLEET" --events "$work/events" "$1"
# ClickHouse reads each file in one part.
case $what in
check) "$venv/bin/python" examples/fleet/check.py "$PATCHPACK" "$work"/events/*.jsonl ;;
bench) "$venv/bin/python" Benchmarks/python/reports.py "$PATCHPACK" "$work"/events/*.jsonl ;;
esac
