# A newcomer needs only `make demo` and `make test`. Both first install missing packages.

SWIFT ?= swift
BUILD = .build/release
# Recipes refer to the checkout as "$$CHECKOUT", so that no shell interprets the characters in a folder's name.
export CHECKOUT := $(CURDIR)
ifneq ($(findstring ",$(CURDIR)),)
$(error SwiftPM does not build in a folder with a double quote in its name: $(CURDIR))
endif
RELEASE_FLAGS = -c release
ifeq ($(shell uname),Linux)
# Links the Swift and C++ runtimes into the tool, so that it is one file to copy. It also starts a millisecond faster. The linker
# takes the first libstdc++ that it finds, and this folder has the static one.
STATIC = .build/static
LIBSTDCXX = $(shell $$(SWIFT=$(SWIFT) scripts/toolchain.sh)/clang -print-file-name=libstdc++.a 2>/dev/null)
RELEASE_FLAGS += --static-swift-stdlib -Xswiftc -use-ld=lld
# The tool loads no library from its own folder, every symbol is bound and made read-only before it starts, and C code has a stack
# protector. Constants are in read-only memory. scripts/check/elf.sh checks all of this.
RELEASE_FLAGS += -Xlinker -T -Xlinker "$$CHECKOUT/scripts/readonly.ld"
RELEASE_FLAGS += --disable-local-rpath -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xcc -fstack-protector-strong
# Swift's static libraries request -export-dynamic, and the Swift runtime searches all exported symbols at each start. The budget
# of start-up is for a tool that exports none. Debug information takes an eighth of the build time, and `make install` removes it.
RELEASE_FLAGS += -Xlinker --no-export-dynamic -debug-info-format none
# The tool contains no path of this machine.
RELEASE_FLAGS += -Xswiftc -file-prefix-map -Xswiftc "$$CHECKOUT=." -Xcc "-ffile-prefix-map=$$CHECKOUT=." -Xcxx "-ffile-prefix-map=$$CHECKOUT=."
# Packed relative relocations are smaller, but only glibc 2.36 or later can read them.
ifeq ($(shell printf '2.36\n%s\n' "$$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -V | head -n 1),2.36)
RELEASE_FLAGS += -Xlinker -z -Xlinker pack-relative-relocs
endif
ifneq ($(wildcard $(LIBSTDCXX)),)
RELEASE_FLAGS += -Xlinker -L$(STATIC) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
endif
else
# Boost has no pkg-config file.
export CPATH := $(shell brew --prefix)/include
endif

.PHONY: all build deps install uninstall deb artifactbundle deb-check machines demo test conformance interop outside macros getting-started plugins mutants mutation asan tsan quick check lint walls generate recording docs cover bench bench-count fuzz fleet fleet-advance fleet-check fleet-bench monitoring-check deploy-check page-check service-check soak clean

comma = ,

# Selects tests, benchmarks or fuzz targets: `make test ONLY=FeedTests`, `make fuzz ONLY=zip,lua`.
ONLY =

all: build

deps:
	@scripts/deps.sh test

build:
	@scripts/deps.sh build
	@[ -z "$(STATIC)" ] || { mkdir -p "$(STATIC)" && ln -sf "$(LIBSTDCXX)" "$(STATIC)"; }
	$(SWIFT) build $(RELEASE_FLAGS) --product patchpack

# Installs the tool, completions and manual pages: `make install PREFIX=/opt/patchpack`. Packagers can set DESTDIR, which is put
# before it.
PREFIX = /usr/local
install: build
	@scripts/deps.sh package
	@PATCHPACK=$(BUILD)/patchpack SWIFT=$(SWIFT) scripts/package/install.sh "$(DESTDIR)$(PREFIX)"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)"/bin/patchpack "$(DESTDIR)$(PREFIX)"/share/man/man[15]/patchpack* \
	  "$(DESTDIR)$(PREFIX)"/share/bash-completion/completions/patchpack "$(DESTDIR)$(PREFIX)"/share/zsh/site-functions/_patchpack \
	  "$(DESTDIR)$(PREFIX)"/share/fish/vendor_completions.d/patchpack.fish
	rm -rf "$(DESTDIR)$(PREFIX)"/share/doc/patchpack

# Makes dist/patchpack_VERSION_ARCHITECTURE.deb.
deb: build
	@scripts/deps.sh package
	@PATCHPACK=$(BUILD)/patchpack SWIFT=$(SWIFT) scripts/package/deb.sh dist

# Makes dist/patchpack-plugins, a package of the build plug-in with the built tool.
artifactbundle: build
	@PATCHPACK=$(BUILD)/patchpack SWIFT=$(SWIFT) scripts/package/artifact-bundle.sh dist

# As root: checks the package with lintian and in a new system.
deb-check: deb
	@scripts/deps.sh deb-check
	@scripts/check/deb-check.sh dist/patchpack_*.deb

# Builds and tests a clone in new roots of other releases of Debian, as a user who is not root. It must be started as root. `make
# machines SUITES=forky STEPS=demo` runs a part of it.
SUITES = bookworm trixie
STEPS = demo test deb-check
machines:
	@scripts/deps.sh machines
	STEPS="$(STEPS)" scripts/check/machines.sh $(SUITES)

demo: build
	@scripts/deps.sh demo
	$(SWIFT) build $(RELEASE_FLAGS) --product shop
	@PATCHPACK=$(BUILD)/patchpack SHOP=$(BUILD)/shop scripts/demo.sh

# The tests make many thousands of files, which is faster in memory if there is room for them.
test: deps
	@TMPDIR=$$(scripts/check/temporary.sh); export TMPDIR; \
	  $(SWIFT) test $(if $(ONLY),--filter '$(subst $(comma),|,$(ONLY))')

# Lints the changes since the last commit, builds them, and runs the tests of their modules. It installs nothing and needs no
# network.
quick:
	@SWIFT=$(SWIFT) scripts/check/quick.sh

# The TUF project's suite for clients of a feed. `make conformance TUF_CONFORMANCE=DIR` names a checkout of it.
TUF_CONFORMANCE =
conformance: deps
	@SWIFT=$(SWIFT) scripts/check/conformance.sh "$(TUF_CONFORMANCE)"

# Tests feeds between this and python-tuf, in both directions.
interop: deps
	@scripts/check/tuf-python.sh
	$(SWIFT) test --filter PythonTUFTests

# Release builds of a package that depends on this one, with every way to keep and call replaceable functions. `make outside
# VARIANTS="plain evolution"` builds some of plain, testing, evolution and testing-evolution.
VARIANTS =
outside: deps
	SWIFT=$(SWIFT) python3 Tests/Outside/build.py $(VARIANTS)

# Follows the first page for newcomers, from an empty folder to a patch that is rolled back.
getting-started: build
	PATH="$$CHECKOUT/$(BUILD):$$PATH" python3 Tests/Docs/run.py docs/getting-started.md

# Tests the macros, built with the toolchain's SwiftSyntax, with programs that use them and code that they refuse.
macros: deps
	SWIFT=$(SWIFT) Tests/Macros/check.sh

# Builds an app that depends on this checkout by URL and tag and uses the plug-ins.
plugins: artifactbundle
	SWIFT=$(SWIFT) Tests/Plugins/check.sh dist/patchpack-plugins

# Runs the libraries' tests, and the tests of the verbs that read untrusted files, under the address sanitizer with the leak
# check, and their C code under the undefined behaviour sanitizer. That one traps, because Swift's compiler has no runtime for it
# on Linux. The tool's other tests start programs thousands of times, each of which takes ten times as long there.
ASAN = SWIFT_BACKTRACE=enable=no LSAN_OPTIONS="suppressions=\"$$CHECKOUT/Tests/leaks.supp\":print_suppressions=0" \
  $(SWIFT) test --sanitize=address -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined --scratch-path .build/asan
asan: deps
	$(ASAN) --skip patchpackTests
	$(ASAN) --skip-build --filter 'patchpackTests.(VerifyTests|PackTests|ResignTests|InspectTests|FeedTests|TestCommandTests|LintTests)'

# Makes mistakes in the example patches, which are Lua, and counts how many lint and the specs find.
mutants: build
	$(SWIFT) build $(RELEASE_FLAGS) --product shop
	scripts/check/mutants.py $(BUILD)/patchpack $(BUILD)/shop

# Makes random single changes of Sources in a copy of the tree, and lists the changes that no test of their module notices. Takes
# about ten minutes. `make mutation SEED="4 5" COUNT=40 MODULES=PatchFeed` makes others. It is not a part of CI, because a person
# must read the list.
SEED = 1 2 3
COUNT = 35
MODULES = PatchPublishing PatchFeed PatchCrypto
mutation: deps
	@SWIFT=$(SWIFT) scripts/check/mutation.py --seed "$(SEED)" --count $(COUNT) --modules "$(MODULES)"

# Runs the runner's threads under the thread sanitizer. Lua leaves C functions with longjmp, and Debian's Lua does not notify the
# sanitizer. The sanitizer's call stack would grow with each error and end the process after about ten thousand, so C code does
# not record its calls. No jump leaves a Swift function.
tsan: deps
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --sanitize=thread -Xcc -mllvm -Xcc -tsan-instrument-func-entry-exit=0 --scratch-path .build/tsan --no-parallel --filter 'PatchRunnerTests|PatchWorkbenchTests|PatchDeviceTests'

# Warnings are errors in every build of the package (Package.swift), so `check` builds, lints and checks the docs.
check: deps lint docs bench-count
	scripts/check/elf.sh $(BUILD)/patchpack
	$(SWIFT) build --build-tests
	SWIFT=$(SWIFT) scripts/check/references.py
	SWIFT=$(SWIFT) scripts/check/api.sh
	scripts/check/workflows.sh

# Needs no build, and is the first step of CI.
lint:
	@scripts/deps.sh lint
	@$(MAKE) --no-print-directory walls
	git ls-files -z --cached --others --exclude-standard '*.swift' | xargs -0 -n 50 $(SWIFT) format lint --strict
	shellcheck scripts/*.sh scripts/*/*.sh Tests/Plugins/*.sh Tests/Macros/*.sh Tests/Monitoring/*.sh examples/*.sh examples/by-hand/*.sh .ci/run

# The part of `lint` that takes a second. Without git it would check nothing.
walls:
	@git rev-parse --git-dir >/dev/null
	scripts/check/layers.py
	scripts/check/phrases.sh
	scripts/check/docs.py
	scripts/check/quick.sh --check
	scripts/check/escapes.sh
	@! git ls-files 'Tests/*.swift' | xargs grep -lE '^ *@Test' | xargs -r grep -L ownThreads | sed 's/$$/: its suite needs the trait .ownThreads/' | grep .

# Generates the code for registered functions with 0 to 8 arguments.
generate:
	python3 scripts/generate/arities.py functions | $(SWIFT) format - >Sources/PatchRunner/Registry/Arities.swift
	python3 scripts/generate/arities.py refusals | $(SWIFT) format - >Sources/PatchRunner/Registry/Unavailable+Arities.swift
	python3 scripts/generate/arities.py structs | $(SWIFT) format - >Sources/PatchRunner/Values/PatchFields+Arities.swift

# Draws docs/recording.svg from the tool's output.
recording: build
	python3 scripts/generate/recording.py $(BUILD)/patchpack

docs: deps
	@SWIFT=$(SWIFT) scripts/generate/docs.sh

# Runs all benchmarks in about five minutes. `make bench ONLY=calls` runs one group.
bench: build
	@scripts/deps.sh bench
	$(SWIFT) build --package-path Benchmarks -c release
	Benchmarks/.build/release/benchmarks "$$CHECKOUT" $(subst $(comma), ,$(ONLY))

# Counts instructions instead of time, so that a slower program is noticed on a busy machine too. UPDATE=1 stores the new counts.
bench-count: build
	@scripts/deps.sh bench
	$(SWIFT) build --package-path Benchmarks -c release
	@SWIFT=$(SWIFT) scripts/check/bench-count.sh $(ONLY)

# Fuzzes each target for a minute. `make fuzz SECONDS=600 ONLY=zip,lua` fuzzes some targets for longer.
SECONDS = 60
fuzz: deps
	@SWIFT=$(SWIFT) scripts/check/fuzz.sh $(SECONDS) $(subst $(comma), ,$(ONLY))

# Takes a million simulated devices through a bad release, with the real state machine and the real choice of devices, and draws
# docs/fleet.svg. It takes about ten minutes.
fleet: deps
	$(SWIFT) run -c release fleet docs/fleet.svg

# Compares `patchpack report` with ClickHouse's own engine over the events of a hundred thousand simulated devices. It takes about
# five minutes and 5 GB of disk.
DEVICES = 100000
fleet-check: build deps
	$(SWIFT) build $(RELEASE_FLAGS) --product fleet
	@FLEET=.build/release/fleet PATCHPACK=$(BUILD)/patchpack scripts/check/fleet-check.sh $(DEVICES)

# Simulates a bad, a good and a silent release in a fleet, with `patchpack feed advance` each hour.
fleet-advance: build
	@scripts/deps.sh test
	python3 Tests/Fleet/advance.py $(BUILD)/patchpack 100000

# Runs two jobs that deploy copies of one feed at the same time, to each kind of place.
PAIRS = 20
deploy-check: build
	@scripts/deps.sh test
	[ -x .build/moto/bin/moto_server ] || (python3 -m venv .build/moto && .build/moto/bin/pip install --quiet --disable-pip-version-check 'moto[s3,server]==5.2.1')
	.build/moto/bin/python Tests/Deploy/race.py $(BUILD)/patchpack $(PAIRS)

# Checks that a real Prometheus raises an alert about a bad release.
monitoring-check: build
	@scripts/deps.sh monitoring
	Tests/Monitoring/check.sh $(BUILD)/patchpack

# Measures `patchpack report`, DuckDB, ClickHouse's engine and jq over ten million events. It takes about ten minutes and 5 GB of
# disk.
fleet-bench: build deps
	$(SWIFT) build $(RELEASE_FLAGS) --product fleet
	@FLEET=.build/release/fleet PATCHPACK=$(BUILD)/patchpack scripts/check/fleet-check.sh 213000 bench

# Opens the pages of reports and feeds in headless Chromium. `make page-check PICTURES=DIR` keeps screenshots of them.
PICTURES =
page-check: build deps
	@scripts/deps.sh page
	$(SWIFT) build $(RELEASE_FLAGS) --product fleet
	@FLEET=.build/release/fleet PATCHPACK=$(BUILD)/patchpack scripts/check/page-check.sh $(PICTURES)

# Patches four workers of examples/service under load. Prints each second which workers answered.
service-check: build
	$(SWIFT) build $(RELEASE_FLAGS) --product service
	python3 examples/service/run.py .build/release/service $(BUILD)/patchpack

# Makes ten million patched calls while patches are activated and deactivated. Memory use must not grow.
soak: deps
	$(SWIFT) build --package-path Benchmarks -c release
	Benchmarks/.build/release/benchmarks soak 10000000

cover: deps
	@SWIFT=$(SWIFT) scripts/check/cover.sh

clean:
	rm -rf .build .docs coverage dist
