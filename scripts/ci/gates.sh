#!/usr/bin/env bash
# The checks that need no build, and find most mistakes.
# shellcheck source=scripts/ci/step.sh
source "$(dirname "$0")/step.sh"
step 5m make lint
step 5m scripts/check/workflows.sh
step 15m scripts/check/api.sh
