#!/usr/bin/env bash
# The tests, including the long ones, here and on Debian 13 as a user who is not root; the documentation; other implementations of
# TUF; servers, services and browsers; and release builds of packages that depend on this one.
# shellcheck source=scripts/ci/step.sh
source "$(dirname "$0")/step.sh"
step 40m env PATCHPACK_LONG_TESTS=1 make test
# Debian 13, beside steps that leave a core idle.
beside 40m make machines SUITES=trixie STEPS="demo test"
step 1m scripts/check/references.py
step 10m make docs
# The suite is not part of this repository. TUF_CONFORMANCE names a checkout of it, which may also be next to this one.
suite=${TUF_CONFORMANCE:-../shared/tuf-conformance}
if [ -n "${TUF_CONFORMANCE:-}" ] || [ -d "$suite" ]; then
  step 10m make conformance TUF_CONFORMANCE="$suite"
fi
step 10m make interop
step 15m make fleet-check DEVICES=20000
step 10m make page-check
step 5m make fleet-advance
step 10m make monitoring-check
step 10m make service-check
step 20m make deploy-check
# With and without both of the flags.
step 25m make outside VARIANTS="plain testing-evolution"
step 15m make macros
step 15m make getting-started
step 10m make plugins
step 10m make mutants
join
