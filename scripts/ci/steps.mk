# The steps of CI, and those that each needs before it. usage: make -f scripts/ci/steps.mk -k -j2 -Otarget gates tests nightly
#
# A build folder serves one SwiftPM at a time, so a step comes after the one that fills its folder: `programs` and then `test` or `long` for
# .build, `packages` for .build/packages. SwiftPM's own lock does not help: it is in TMPDIR, and the tests have a TMPDIR of their own.
# After these, `-o programs` omits what is built. The order is that of the lists, as far as the needs allow it: what finds the worst
# faults begins first, and what uses one core runs beside what uses two.

# The checks that need no build, and find most mistakes.
GATES = lint workflows api
# One release build, one debug build with the short tests, the sanitizers, what uses these builds, and the compile with another compiler.
TESTS = programs asan tsan test sid mutants service fleet-advance deploy world tool-count interop references $(if $(TUF_CONFORMANCE),conformance)
# The rest, for a schedule and for the eve of a release.
NIGHTLY = packages long fuzz bench-count machines docs page fleet monitoring arguments deb release $(if $(TUF_CONFORMANCE),conformance) \
  trixie-tests sid-tests arm64 variants asan-all tsan-long soak world-long

# The suite is not part of this repository. TUF_CONFORMANCE names a checkout of it, which may also be next to this one.
export TUF_CONFORMANCE := $(or $(TUF_CONFORMANCE),$(wildcard ../shared/tuf-conformance))
.PHONY: gates tests nightly $(GATES) $(TESTS) $(NIGHTLY) conformance
gates: $(GATES)
tests: $(TESTS)
nightly: $(NIGHTLY)
list-%: ; @echo $($(shell echo $* | tr a-z A-Z))

test long mutants service fleet-advance deploy world world-long tool-count packages bench-count page fleet monitoring arguments deb release: programs
# Of steps that run at all, these come after those.
ALL = $(MAKECMDGOALS) $(if $(filter tests,$(MAKECMDGOALS)),$(TESTS)) $(if $(filter nightly,$(MAKECMDGOALS)),$(NIGHTLY))
after = $(filter $(1),$(ALL))
long: $(call after,test)
interop references conformance docs: $(call after,test long)
packages: $(call after,test tool-count)
bench-count variants: $(call after,tool-count packages)
soak: $(call after,bench-count variants)
release: $(call after,deb) # both write dist, and deb has tried Debian 12
asan-all: $(call after,asan)
tsan-long: $(call after,tsan)

# The rows of Benchmarks/budgets.txt that need the tool and the floor alone.
TOOL = start-up verify-* pack-rsa pack-ed25519 list-* sync-* memory-verify-large memory-pack memory-publish faults-*
# The suites that try more, or longer, in long tests.
LONG = $(shell git grep -lE 'testsMayBeLong|faultNumbers' 'Tests/*Tests/*.swift' | sed 's|.*/||; s|\.swift$$||' | paste -sd,)

lint:          STEP = 5m  make lint
workflows:     STEP = 5m  make check-workflows
api:           STEP = 15m make check-api
programs:      STEP = 45m make programs
test:          STEP = 40m make test
asan:          STEP = 40m make asan
tsan:          STEP = 40m make tsan
mutants:       STEP = 10m make -o programs check-mutants
service:       STEP = 10m make -o programs check-service
fleet-advance: STEP = 10m make -o programs check-fleet-advance
world:         STEP = 5m  make -o programs check-world
deploy:        STEP = 20m make -o programs check-deploy
tool-count:    STEP = 20m make -o build tool-count ONLY="$(TOOL)"
interop:       STEP = 10m make check-interop
references:    STEP = 3m  make check-references check-types
conformance:   STEP = 10m make check-conformance
sid:           STEP = 40m env TOOLCHAIN=debian make check-machines SUITES=sid STEPS=compile
packages:      STEP = 60m make -o programs check-packages
long:          STEP = 60m env PATCHPACK_LONG_TESTS=1 make test ONLY=$(LONG)
fuzz:          STEP = 40m make fuzz SECONDS=5
bench-count:   STEP = 40m make -o build bench-count
machines:      STEP = 60m make check-machines SUITES=bookworm STEPS=demo
docs:          STEP = 20m make docs
page:          STEP = 10m make -o programs check-page
fleet:         STEP = 15m make -o programs check-fleet DEVICES=20000
monitoring:    STEP = 10m make -o programs check-monitoring
arguments:     STEP = 30m make -o programs check-arguments
deb:           STEP = 15m make -o build check-deb
release:       STEP = 30m env SUITES=trixie make release check-release
trixie-tests:  STEP = 60m make check-machines SUITES=trixie STEPS="demo test tools"
sid-tests:     STEP = 60m env TOOLCHAIN=debian make check-machines SUITES=sid STEPS="demo test"
arm64:         STEP = 60m make check-arm64
variants:      STEP = 40m python3 Tests/Outside/build.py testing-evolution
asan-all:      STEP = 60m make asan TESTS=
tsan-long:     STEP = 60m env PATCHPACK_LONG_TESTS=1 make tsan
soak:          STEP = 20m make check-soak
# Each night has seeds of its own.
world-long:    STEP = 40m make -o programs check-world TIME=1800 SEEDS=$(shell date +%y%j)0000-999999999
$(sort $(GATES) $(TESTS) $(NIGHTLY) conformance):
	@scripts/ci/steps.py run $@ $(STEP)
