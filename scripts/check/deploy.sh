#!/usr/bin/env bash
# Runs two jobs that deploy copies of one feed at the same time, PAIRS=20 times, to each kind of place. The object store is moto's,
# from PyPI.
# usage: PATCHPACK=PROGRAM deploy.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
moto=.build/moto/bin
[ -x $moto/moto_server ] || (python3 -m venv .build/moto && $moto/pip install --quiet --disable-pip-version-check 'moto[s3,server]==5.2.1')
$moto/python Tests/Deploy/race.py "$PATCHPACK" "${PAIRS:-20}"
