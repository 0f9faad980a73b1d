# `make demo` and `make test` are all a newcomer needs; both install what is missing first.

SWIFT ?= swift
BUILD = .build/release
RELEASE_FLAGS = -c release
ifeq ($(shell uname),Linux)
# One file to copy, without a Swift or C++ runtime beside it: it starts a millisecond sooner, too. The linker takes the
# first libstdc++ that it finds, and this folder has the static one.
STATIC = $(CURDIR)/.build/static
LIBSTDCXX = $(shell $$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/clang -print-file-name=libstdc++.a)
RELEASE_FLAGS += --static-swift-stdlib -Xswiftc -use-ld=lld
# No library that lies beside the tool is taken for the system's, every symbol is bound and made read-only before the tool starts,
# and C watches its stack. scripts/check-elf.sh looks whether that is so.
RELEASE_FLAGS += --disable-local-rpath -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xcc -fstack-protector-strong
ifneq ($(wildcard $(LIBSTDCXX)),)
RELEASE_FLAGS += -Xlinker -L$(STATIC) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
endif
endif

.PHONY: all build deps demo test outside asan ubsan tsan check lint generate docs cover bench bench-count fuzz soak clean

comma = ,

all: build

deps:
	@scripts/deps.sh test

build:
	@scripts/deps.sh build
	@[ -z "$(STATIC)" ] || { mkdir -p "$(STATIC)" && ln -sf $(LIBSTDCXX) "$(STATIC)"; }
	$(SWIFT) build $(RELEASE_FLAGS) --product patchpack

demo: build
	@scripts/deps.sh demo
	$(SWIFT) build $(RELEASE_FLAGS) --product shop
	@PATCHPACK=$(BUILD)/patchpack SHOP=$(BUILD)/shop scripts/demo.sh

test: deps
	$(SWIFT) test

# Release builds of a package that depends on this one: each way of keeping and calling what patches can replace.
outside: deps
	SWIFT=$(SWIFT) python3 Tests/Outside/build.py

# The same tests under the address sanitizer, leaks included.
asan: deps
	SWIFT_BACKTRACE=enable=no LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.supp:print_suppressions=0 \
	  $(SWIFT) test --sanitize=address --scratch-path .build/asan

# The runner's C under the sanitizer of undefined behaviour, which traps: Swift's compiler has no runtime for it on Linux.
ubsan: deps
	$(SWIFT) test -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined --scratch-path .build/ubsan --filter 'PatchRunnerTests|PatchWorkbenchTests'

# The runner's threads under the thread sanitizer. Lua leaves C functions by jumps, and Debian's Lua does not tell the sanitizer: its own stack of
# calls would grow with each error, and end the process after some ten thousand. So C keeps none; no jump leaves a function of Swift.
tsan: deps
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --sanitize=thread -Xcc -mllvm -Xcc -tsan-instrument-func-entry-exit=0 --scratch-path .build/tsan --filter 'PatchRunnerTests|PatchWorkbenchTests'

# Warnings are errors in every build of the package (Package.swift), so `check` builds, lints and reads the docs.
check: deps lint docs bench-count
	scripts/check-elf.sh $(BUILD)/patchpack
	$(SWIFT) build --build-tests

lint:
	git ls-files -z --cached --others --exclude-standard '*.swift' | xargs -0 -n 50 $(SWIFT) format lint --strict
	shellcheck scripts/*.sh examples/*.sh examples/by-hand/*.sh .ci/run
	scripts/layers.py

# What a registered function is, for 0 to 8 arguments.
generate:
	python3 scripts/generate-arities.py | $(SWIFT) format - >Sources/PatchRunner/Registry/Arities.swift

docs: deps
	@SWIFT=$(SWIFT) scripts/docs.sh

# Everything in about five minutes; `make bench ONLY=calls` is one group of it.
ONLY =
bench: build
	@scripts/deps.sh bench
	$(SWIFT) build --package-path Benchmarks -c release
	Benchmarks/.build/release/benchmarks "$(CURDIR)" $(subst $(comma), ,$(ONLY))

# Instructions instead of time, so that a slower program is seen on a busy machine too. UPDATE=1 takes the new counts over.
bench-count: build
	@scripts/deps.sh bench
	$(SWIFT) build --package-path Benchmarks -c release
	@SWIFT=$(SWIFT) scripts/bench-count.sh

# A minute for each target; `make fuzz SECONDS=600 ONLY=zip,lua` for some of them.
SECONDS = 60
fuzz: deps
	@SWIFT=$(SWIFT) scripts/fuzz.sh $(SECONDS) $(subst $(comma), ,$(ONLY))

# Ten million patched calls, with patches that come and go: memory stays where it was.
soak: deps
	$(SWIFT) build --package-path Benchmarks -c release
	Benchmarks/.build/release/benchmarks soak 10000000

cover: deps
	@SWIFT=$(SWIFT) scripts/cover.sh

clean:
	rm -rf .build .docs coverage dist
