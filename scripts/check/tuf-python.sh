#!/usr/bin/env bash
# Installs python-tuf and the packages for the conformance suite into .build/tuf, from PyPI.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! .build/tuf/bin/python -c 'import tuf, pytest, pytest_jsonreport' 2>/dev/null; then
  python3 -m venv .build/tuf
  .build/tuf/bin/pip install --quiet --disable-pip-version-check \
    tuf==7.0.0 'securesystemslib[crypto]==1.4.0' pytest==9.1.1 pytest-json-report==1.5.0
fi
