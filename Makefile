# A newcomer needs only `make demo` and `make test`. Both first install missing packages.

ifeq ($(origin SWIFT),undefined)
SWIFT := $(or $(if $(shell command -v swift),swift),$(addsuffix /swift,$(wildcard $(file <.build/toolchain))),swift)
endif
export SWIFT
BUILD = .build/release
# Recipes refer to the checkout as "$$CHECKOUT", so that no shell interprets the characters in a folder's name.
export CHECKOUT := $(CURDIR)
# The version that the tool prints (Package.swift).
export PATCHPACK_VERSION := $(shell scripts/version.sh)
# All builds leave the plug-ins out (Package.swift). `make check-packages` builds an app that uses them.
export PATCHPACK_PLUGINS = 0
ifneq ($(findstring ",$(CURDIR)),)
$(error SwiftPM does not build in a folder with a double quote in its name: $(CURDIR))
endif
RELEASE_FLAGS = -c release
ifeq ($(shell uname),Linux)
# Links the Swift runtime into the tool, and the C++ runtime that it needs, so that it is one file to copy. It also starts a
# millisecond faster. The linker takes the first libstdc++ that it finds, and this folder has the static one.
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
# The tool loads libzip by the name that it has on the system (Sources/CLibzipLoader), so it must not name the one of this machine.
RELEASE_FLAGS += -Xswiftc -ld-path="$$CHECKOUT/scripts/ld.sh"
# The tool contains no path of this machine.
RELEASE_FLAGS += -Xswiftc -file-prefix-map -Xswiftc "$$CHECKOUT=." -Xcc "-ffile-prefix-map=$$CHECKOUT=."
# Packed relative relocations are smaller, but only glibc 2.36 or later can read them.
ifeq ($(shell printf '2.36\n%s\n' "$$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -V | head -n 1),2.36)
RELEASE_FLAGS += -Xlinker -z -Xlinker pack-relative-relocs
endif
ifneq ($(wildcard $(LIBSTDCXX)),)
RELEASE_FLAGS += -Xlinker -L$(STATIC) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
endif
endif

.PHONY: help demo test build install uninstall deb release artifactbundle quick lint walls check nightly asan tsan fuzz bench bench-count tool-count mutation generate docs fleet programs clean

comma = ,

# Selects tests, benchmarks or fuzz targets: `make test ONLY=FeedTests`, `make fuzz ONLY=zip,lua`.
ONLY =
# Debian's own Swift lacks a library of Swift Testing.
TEST_FLAGS = $(shell [ "$$(uname)" != Linux ] || [ -e "$$(SWIFT=$(SWIFT) scripts/toolchain.sh)/../lib/swift/linux/lib_Testing_Foundation.so" ] || \
  echo -Xswiftc -Xfrontend -Xswiftc -disable-cross-import-overlays)

# Each target has a sentence after two number signs, and each check one after its command.
help: ## this list
	@echo "usage: make TARGET. To begin: make demo, then make test"
	@sed -nE 's/^([a-z-]+):.* ## (.*)/\1@\2/p; s/^(check-[a-z0-9-]+) = .* # (.*)/\1@\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F @ '{ printf "  %-20s %s\n", $$1, $$2 }'

# `make test` continues with this debug build.
demo: ## builds the tool and an example app, packs patches, delivers them, and rolls them back
	@scripts/deps.sh demo
	$(SWIFT) build --product patchpack
	$(SWIFT) build --product shop
	@PATCHPACK=.build/debug/patchpack SHOP=.build/debug/shop scripts/demo.sh

# Programs that are missing cost the tests that need them, unless all tests are asked for. The tests make many thousands of files,
# which is faster in memory if there is room for them.
test: ## all tests; ONLY=FeedTests runs some, PATCHPACK_LONG_TESTS=1 also those that take long or need more programs
	@scripts/deps.sh $(if $(PATCHPACK_LONG_TESTS),tools,test)
	@TMPDIR=$$(scripts/check/temporary.sh); export TMPDIR; \
	  $(SWIFT) test $(TEST_FLAGS) $(if $(ONLY),--filter '$(subst $(comma),|,$(ONLY))')

# It installs nothing and needs no network.
quick: ## the changes since the last commit: their form, their build, and the tests of their modules
	@SWIFT=$(SWIFT) scripts/check/quick.sh

# `sudo make install` after `make build` copies that tool, with the Swift that has built it, which is not on root's PATH.
PACKAGES = release
install: PACKAGES = install
deb: PACKAGES = package
build: ## the tool, as a release
	@scripts/deps.sh $(PACKAGES)
	@[ -z "$(wildcard $(LIBSTDCXX))" ] || { mkdir -p "$(STATIC)" && ln -sf "$(LIBSTDCXX)" "$(STATIC)"; }
	$(SWIFT) build $(RELEASE_FLAGS) --product patchpack
	@scripts/toolchain.sh >.build/toolchain

programs: build # the tool and the example programs, as releases, for the checks below
	for program in shop service fleet world; do $(SWIFT) build $(RELEASE_FLAGS) --product $$program || exit; done

# Packagers can set DESTDIR, which is put before PREFIX.
PREFIX = /usr/local
BUILT = $(and $(filter-out 0,$(SUDO_UID)),$(filter 0,$(shell id -u)),$(wildcard $(BUILD)/patchpack))
install: $(if $(BUILT),,build) ## the tool, completions and manual pages, into PREFIX=/usr/local
	@scripts/deps.sh install
	@$(if $(BUILT),echo "nothing is built with sudo: this installs $(BUILT) as it is")
	@PATCHPACK=$(BUILD)/patchpack scripts/package/install.sh "$(DESTDIR)$(PREFIX)"

# Folders that are empty then go too, but not those of the system.
uninstall: ## removes what `make install` with the same PREFIX has installed
	cd "$(DESTDIR)$(PREFIX)" && rm -rf bin/patchpack share/man/man[15]/patchpack* share/doc/patchpack \
	  share/bash-completion/completions/patchpack share/zsh/site-functions/_patchpack share/fish/vendor_completions.d/patchpack.fish
	@case "$(PREFIX)" in /usr | /usr/local) ;; *) cd "$(DESTDIR)$(PREFIX)"; for folder in bin share/man/man1 share/man/man5 share/doc \
	  share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d; do rmdir -p $$folder; done; rmdir "$$PWD"; esac 2>/dev/null || true

deb: build ## dist/patchpack_VERSION_ARCHITECTURE.deb
	@scripts/deps.sh package
	@PATCHPACK=$(BUILD)/patchpack scripts/package/deb.sh dist

release: ## dist/ as a release: archive, source, Debian package, hashes; KEY=key.pem signs them
	scripts/package/release.sh make dist
	$(if $(KEY),scripts/package/release.sh sign dist "$(KEY)")

artifactbundle: build ## dist/patchpack-plugins, a package of the build plug-in with the built tool
	@PATCHPACK=$(BUILD)/patchpack scripts/package/artifact-bundle.sh dist

# The first step of CI.
lint: walls ## format of Swift and of C, shell scripts and walls
	@scripts/deps.sh lint
	git ls-files -z --cached --others --exclude-standard '*.swift' ':!*Arities.swift' | xargs -0 -n 50 $(SWIFT) format lint --strict
	git ls-files -z --cached --others --exclude-standard '*.c' '*.h' | xargs -0 clang-format --dry-run --Werror
	shellcheck scripts/*.sh scripts/*/*.sh Tests/Plugins/*.sh Tests/Macros/*.sh Tests/Monitoring/*.sh examples/*.sh examples/by-hand/*.sh .ci/run

# Without git it would check nothing.
walls: ## the checks that take a second and need no build: claims of the documents, escapes
	@git rev-parse --git-dir >/dev/null
	scripts/check/docs.py
	scripts/generate/lint.py --check
	scripts/check/quick.sh --check
	scripts/ci/steps.py check
	scripts/check/escapes.sh
	@! git ls-files 'Tests/*.swift' | xargs grep -lE '^ *@Test' | xargs -r grep -L ownThreads | sed 's/$$/: its suite needs the trait .ownThreads/' | grep .
	@! git grep -n '\.withLock\b' -- 'Sources/*.swift' 'Tests/PatchRunner*.swift' 'Tests/PatchDevice*.swift' ':!Sources/patchpack' ':!Sources/PatchPublishing/Check' | sed 's/$$/: the thread sanitizer sees only `locked`/' | grep .
	@! git grep -nP '^(?! *(//|\*)).*((?<!checkout )(?<![\w-])--[a-z]{2}|`(feed|store|trust|pack|lint|test|sync|report|verify)[ `])' -- 'Sources/*.swift' ':!Sources/patchpack' | sed 's/$$/: libraries do not know the verbs and options of the tool/' | grep .
	@! git grep --untracked -nE 'func [a-z]\w*_\w*\(' -- 'Tests/*Tests/*.swift' examples | sed 's/$$/: the name of a test is a sentence in camel case/' | grep .
	@! git grep --untracked -nP '^(?!.*\b(let|var) \().*\((self\.|\$$0\.)?\w[\w.\[\]$$]*(, *[\w.\[\]$$]+)+\) = \(' -- 'Sources/*.swift' ':!*Arities.swift' | sed 's/$$/: one assignment on a line/' | grep .
	@! LC_ALL=C.UTF-8 git grep --untracked -nP '^(?=.{121}) *//(?!/? {5})' -- '*.swift' ':!*Arities.swift' | sed 's/$$/: a comment has at most 120 columns/' | grep .
	@! git grep -nE 'CLOCK_REALTIME|DispatchWallTime|wallDeadline|pthread_cond_init' -- Sources ':!Sources/Libc/Libc.swift' ':!Sources/CLuaBridge/lock.c' | sed 's/$$/: a wait by this clock lasts longer if it is set back/' | grep .
	@grep -q 'pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)' Sources/CLuaBridge/lock.c

# Warnings are errors in every build of the package (Package.swift).
check: lint docs bench-count ## lint, the documentation, instruction counts, layers, public declarations, workflows
	scripts/check/elf.sh $(BUILD)/patchpack
	$(SWIFT) build --build-tests
	scripts/check/references.py
	SWIFT=$(SWIFT) scripts/check/api.sh
	scripts/check/workflows.sh

# Its last lines are a table of the steps (scripts/ci/steps.mk).
nightly: ## what `.ci/run` omits: other systems, packages, long tests, fuzzers, all counts, releases; ONLY=docs,deb for some of its steps
	.ci/run nightly $(subst $(comma), ,$(ONLY))

# The checks of CI. `make check-NAME` runs the command of its line.
check-api = scripts/check/api.sh # public declarations, against the last tagged version
check-arguments = python3 Tests/Arguments/matrix.py $(BUILD)/patchpack # wrong values for each option of the tool; as root, also as nobody
check-arm64 = scripts/check/arm64.sh # as root: the tool and tests of the runner for arm64, in an emulator
check-conformance = scripts/check/conformance.sh # the TUF project's suite for clients; TUF_CONFORMANCE=DIR is a checkout of it
check-deb = scripts/check/deb-check.sh dist/patchpack_*.deb # as root: the Debian package, with lintian and in a new system
check-deploy = scripts/check/deploy.sh # two jobs that deploy copies of one feed at once: a folder, rsync, an object store
check-fleet = scripts/check/fleet-check.sh # reports of DEVICES=100000 simulated devices, against ClickHouse's engine
check-fleet-advance = python3 Tests/Fleet/advance.py $(BUILD)/patchpack 100000 # a bad, a good and a silent release, with `feed advance`
check-interop = scripts/check/tuf-python.sh && $(SWIFT) test --filter PythonTUFTests # feeds between this and python-tuf, both ways
check-machines = scripts/check/machines.sh # as root: a clone in new systems; SUITES="bookworm trixie" STEPS="demo test check-deb"
check-monitoring = Tests/Monitoring/check.sh $(BUILD)/patchpack # an alert about a bad release, by a real Prometheus
check-mutants = scripts/check/mutants.py $(BUILD)/patchpack $(BUILD)/shop # mistakes in the example patches: how many lint and specs find
check-packages = scripts/check/packages.sh # packages that depend on this one: libraries, macros, plug-ins, docs/getting-started.md
check-page = scripts/check/page-check.sh # pages of reports and feeds in Chromium; PICTURES=DIR keeps screenshots
check-references = scripts/check/references.py # layers, by the compiler's references, after `make test`
check-release = scripts/check/release.sh dist # as root: the artifacts of `make release`, in new systems; SUITES="bookworm trixie"
check-service = python3 examples/service/run.py $(BUILD)/service $(BUILD)/patchpack # four workers are patched under load
check-soak = $(SWIFT) build $(BENCHMARKS) && .build/packages/release/benchmarks soak 10000000 # ten million calls leave memory where it was
check-types = scripts/check/types.sh # the fuzzers and the benchmarks compile with the libraries as they are, after `make test`
check-world = TMPDIR=$$(scripts/check/temporary.sh) $(BUILD)/world --seeds $(SEEDS) --time $(TIME) # feeds, operators and devices for years, simulated; SEEDS=1-1000 TIME=60
check-workflows = scripts/check/workflows.sh # workflows and the action: their form and their security
check-deb: deb
check-arguments check-deploy check-fleet check-fleet-advance check-monitoring check-mutants check-packages check-page check-service check-world: programs
check-world: SEEDS = 1-1000000
check-world: TIME = 60

check-%:
	$(if $(check-$*),,$(error there is no check-$*; `make help` lists the checks))
	@$(if $(filter arm64 deb machines release,$*),scripts/check/root.sh)
	@scripts/deps.sh $(or $(if $(filter arm64 release,$*),machines)$(if $(filter packages,$*),test)$(filter deb machines monitoring page,$*),tools)
	SWIFT=$(SWIFT) PATCHPACK=$(BUILD)/patchpack FLEET=$(BUILD)/fleet $(check-$*)

# The address sanitizer with the leak check, and the undefined behaviour sanitizer for C. That one traps, because Swift's compiler has
# no runtime for it on Linux. The search of states is Swift's values alone, and takes minutes. Of the tool's tests, only those of the verbs
# that read untrusted files: the others start programs thousands of times, each of which takes ten times as long there.
ASAN = --sanitize=address -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined --scratch-path .build/asan
asan: TESTS = PatchCryptoTests,PatchFilesTests,PatchReportTests,PatchRunnerTests,PatchLintTests,PatchSpecTests
asan: export SWIFT_BACKTRACE = enable=no
asan: export LSAN_OPTIONS = suppressions="$(CURDIR)/Tests/leaks.supp":print_suppressions=0
asan: ## the tests of targets with C or unsafe code under the sanitizers for addresses and undefined behaviour; TESTS= for all libraries and some of the tool
	@scripts/deps.sh tools
	$(if $(TESTS),PATCHPACK_TESTS=$(TESTS)) $(SWIFT) build $(ASAN) --product patchpackPackageTests
	$(if $(TESTS),PATCHPACK_TESTS=$(TESTS)) $(SWIFT) test $(ASAN) --skip-build --skip 'patchpackTests|StateSearchTests'
	$(if $(TESTS),,$(SWIFT) build $(ASAN) --product patchpack)
	$(if $(TESTS),,$(SWIFT) test $(ASAN) --skip-build --filter 'patchpackTests.(VerifyTests|PackTests|ResignTests|InspectTests|FeedTests|TestCommandTests|LintTests)')

# Lua leaves C functions with longjmp, and Debian's Lua does not notify the sanitizer. The sanitizer's call stack would grow with each
# error and end the process after about ten thousand, so C code does not record its calls. No jump leaves a Swift function. What is
# skipped uses one thread, and takes minutes there, or runs the tool, which is not built.
TSAN = --sanitize=thread -Xcc -mllvm -Xcc -tsan-instrument-func-entry-exit=0 --scratch-path .build/tsan
tsan: export SWIFT_BACKTRACE = enable=no
tsan: export TSAN_OPTIONS = suppressions="$(CURDIR)/Tests/races.supp":ignore_interceptors_accesses=0
tsan: export PATCHPACK_TESTS = PatchRunnerTests,PatchDeviceTests
tsan: ## the tests of the runner and the device under the thread sanitizer
	@scripts/deps.sh tools
	$(SWIFT) build $(TSAN) --product patchpackPackageTests
	$(SWIFT) test $(TSAN) --skip-build --no-parallel --skip 'HostileScriptTests|StateSearchTests|NestedContainerTests|aContainerHasPatchesInItsImage|WorkerTests.store[A-Z]'

SECONDS = 60
fuzz: ## fuzzes each target for SECONDS=60; ONLY=zip,lua for some
	@scripts/deps.sh test
	@SWIFT=$(SWIFT) scripts/check/fuzz.sh $(SECONDS) $(subst $(comma), ,$(ONLY))

# The build folder of the packages that depend on this one.
BENCHMARKS = --package-path Benchmarks -c release --scratch-path .build/packages
bench: build ## all benchmarks, in about five minutes; ONLY=calls for some
	@scripts/deps.sh bench
	$(SWIFT) build $(BENCHMARKS)
	.build/packages/release/benchmarks "$$CHECKOUT" $(subst $(comma), ,$(ONLY))

# A slower program is noticed on a busy machine too.
bench-count: build ## counts instructions, against Benchmarks/budgets.txt; ONLY="async string" for some
	@scripts/deps.sh bench
	$(SWIFT) build $(BENCHMARKS)
	@SWIFT=$(SWIFT) scripts/check/bench-count.sh $(ONLY)

# The same for rows that need no Swift of Benchmarks.
tool-count: build
	@scripts/deps.sh bench
	$(SWIFT) build $(BENCHMARKS) --product floor
	@SWIFT=$(SWIFT) scripts/check/bench-count.sh $(ONLY)

# A person must read the list, so it is not a part of CI. `make mutation SEED="4 5" COUNT=40 MODULES=PatchFeed` makes other changes.
SEED = 1 2 3
COUNT = 35
MODULES = PatchPublishing PatchFeed PatchText PatchCrypto
mutation: ## makes random changes in a copy of Sources, and lists those that no test notices, in ten minutes
	@scripts/deps.sh test
	@SWIFT=$(SWIFT) scripts/check/mutation.py --seed "$(SEED)" --count $(COUNT) --modules "$(MODULES)"

generate: ## docs/lint.md, and the code for registered functions
	scripts/generate/lint.py
	python3 scripts/generate/arities.py functions | $(SWIFT) format - >Sources/PatchRunner/Registry/Arities.swift
	python3 scripts/generate/arities.py refusals | $(SWIFT) format - >Sources/PatchRunner/Registry/Unavailable+Arities.swift
	python3 scripts/generate/arities.py structs | $(SWIFT) format - >Sources/PatchRunner/Values/PatchFields+Arities.swift

docs: ## the documentation of every public declaration, in .docs, compared with docs/api
	@scripts/deps.sh build
	@SWIFT=$(SWIFT) scripts/generate/docs.sh

# With the real state machine and the real choice of devices.
fleet: ## takes a million simulated devices through a bad release, and draws docs/fleet.svg, in ten minutes
	@scripts/deps.sh build
	$(SWIFT) run -c release fleet docs/fleet.svg

clean: ## removes everything that was built
	rm -rf .build .docs dist
