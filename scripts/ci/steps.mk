# The steps of CI, and those that each needs before it. usage: make -f scripts/ci/steps.mk -j2 -Otarget gates tests nightly
#
# A build folder serves one SwiftPM at a time, so a step comes after the one that fills its folder: `programs` and then `test` for .build,
# `packages` for .build/packages. After these, `-o programs` omits what is built. The order is that of the lists, as far as the
# needs allow it: the steps that wait or use one core run beside `test`, and then come the other long builds.

# The suite is not part of this repository. TUF_CONFORMANCE names a checkout of it, which may also be next to this one.
export TUF_CONFORMANCE := $(or $(TUF_CONFORMANCE),$(wildcard ../shared/tuf-conformance))
STEPS = lint workflows api programs trixie test fleet fleet-advance page monitoring service deploy mutants packages references docs interop \
  conformance asan tsan fuzz bench-count deb release
.PHONY: gates tests nightly $(STEPS)

# The checks that need no build, and find most mistakes.
gates: lint workflows api
# The tests, including the long ones, here and on Debian 13 as a user who is not root; the documentation; other implementations of TUF;
# servers, services and browsers; and packages that depend on this one.
tests: programs trixie test fleet fleet-advance page monitoring service deploy mutants packages references docs interop $(if $(TUF_CONFORMANCE),conformance)
# A few seconds of fuzzing, instruction counts against their budgets, the Debian package, a release, and the tests under the sanitizers.
nightly: asan tsan fuzz bench-count deb release

test fleet fleet-advance page monitoring service deploy mutants packages bench-count deb release: programs
release: deb # both write dist, and deb has tried Debian 12
references docs interop conformance: test
LATEST =
ifneq ($(filter tests,$(MAKECMDGOALS)),)
asan tsan fuzz release: test
bench-count: packages
# One run of all layers must end within 90 minutes, and some machines take twice as long as others. `.ci/run nightly` omits none.
asan tsan fuzz bench-count deb release: private LATEST = 60
endif

lint:          STEP = 5m  make lint
workflows:     STEP = 5m  make check-workflows
api:           STEP = 15m make check-api
programs:      STEP = 25m make programs
trixie:        STEP = 50m make check-machines SUITES=trixie STEPS="demo test tools"
test:          STEP = 40m env PATCHPACK_LONG_TESTS=1 make test
packages:      STEP = 40m make -o programs check-packages
references:    STEP = 1m  make check-references
docs:          STEP = 10m make docs
interop:       STEP = 10m make check-interop
conformance:   STEP = 10m make check-conformance
fleet:         STEP = 15m make -o programs check-fleet DEVICES=20000
fleet-advance: STEP = 10m make -o programs check-fleet-advance
page:          STEP = 10m make -o programs check-page
monitoring:    STEP = 10m make -o programs check-monitoring
service:       STEP = 10m make -o programs check-service
deploy:        STEP = 20m make -o programs check-deploy
mutants:       STEP = 10m make -o programs check-mutants
asan:          STEP = 40m make asan
tsan:          STEP = 30m env PATCHPACK_LONG_TESTS=1 make tsan
fuzz:          STEP = 20m make fuzz SECONDS=5
bench-count:   STEP = 20m make -o build bench-count
deb:           STEP = 15m make -o build check-deb
release:       STEP = 30m env SUITES=trixie make release check-release
$(STEPS):
	@LATEST=$(LATEST) scripts/ci/step.sh $(STEP)
