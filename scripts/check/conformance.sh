#!/usr/bin/env bash
# Runs the TUF project's conformance suite against PatchFeed.
# usage: TUF_CONFORMANCE=FOLDER conformance.sh     a checkout of the suite
set -euo pipefail
cd "$(dirname "$0")/../.."

suite=${TUF_CONFORMANCE:-}
if [ ! -d "$suite/tuf_conformance" ]; then
  echo "make check-conformance runs the TUF project's suite, which is not part of this repository. To get it:" >&2
  echo "  git clone https://github.com/theupdateframework/tuf-conformance" >&2
  echo "  make check-conformance TUF_CONFORMANCE=tuf-conformance" >&2
  exit 64
fi
suite=$(cd "$suite" && pwd)
"${SWIFT:-swift}" build --product tuf-client
client=$("${SWIFT:-swift}" build --product tuf-client --show-bin-path)/tuf-client
scripts/check/tuf-python.sh
# The suite may be in a folder that cannot be written to.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$suite .build/tuf/bin/python -m pytest -q -p no:cacheprovider --rootdir "$suite" \
  --entrypoint "$client" "$suite/tuf_conformance"
