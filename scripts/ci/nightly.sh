#!/usr/bin/env bash
# The remaining checks: a few seconds of fuzzing, instruction counts against their budgets, the Debian package, and the tests
# under the sanitizers.
# shellcheck source=scripts/ci/step.sh
source "$(dirname "$0")/step.sh"
# Half of the time of these tests is spent in waits.
beside 30m env PATCHPACK_LONG_TESTS=1 make tsan
step 20m make fuzz SECONDS=5
step 15m make bench-count
step 10m make deb-check
step 30m make asan
join
