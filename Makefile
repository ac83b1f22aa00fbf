# Thin: each target says what to run; the work is in CMake and tools/.
.PHONY: help configure build demo test bench lint sanitize fuzz format clean
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
LAUNCHER := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
DEMO ?= out/demo

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

configure: ## installs what is missing and configures the release build
	@tools/setup build
	@cmake --preset release $(LAUNCHER) $(foreach part,TESTS EXAMPLES,-DFLEXOR_BUILD_$(part)=$(or $(WITH_TESTS),OFF)) >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log

build: configure ## leaves the command at build/release/bin/flexor
	@cmake --build --preset release -j $(JOBS)

demo: build ## the main job on the built-in samples: pictures and numbers in out/demo
	@tools/demo build/release/bin/flexor $(DEMO)

test: ## builds everything and runs every test
	@tools/setup test
	@$(MAKE) --no-print-directory build WITH_TESTS=ON
	@ctest --preset release -j $(JOBS)

bench: ## builds and prints the table of measured speeds
	@tools/setup test
	@$(MAKE) --no-print-directory build WITH_TESTS=ON
	@build/release/bin/flexor bench

lint: ## format, clang-tidy, layers, header documentation
	@tools/setup test
	@tools/lint

sanitize: ## the tests under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
	@tools/setup test
	@tools/sanitize asan ubsan tsan

fuzz: ## every fuzz target for SECONDS (60) each
	@tools/setup test
	@tools/fuzz $(or $(SECONDS),60)

format: ## rewrites the sources in the house style
	@tools/sources | xargs clang-format-19 -i

clean: ## removes what was built
	rm -rf build out
