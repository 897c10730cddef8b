# Entry points. Each target installs what it needs first.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help
.PHONY: help build demo test test-all test-watch matrix fuzz mutations streams bench bench-compare watch-promises figures screenshots rig rig-faults lint fmt generate docs dist dist-check deb deb-check systemd-check chart-check clean

TOOLS := source .tools/env &&
# Sources of the Python packages and of the native package.
PROJECTS := pyproject.toml $(wildcard */pyproject.toml web/server/pyproject.toml */src/wastenot/*/__init__.py)
NATIVE := Cargo.toml scripts/pins/cargo.txt $(shell find schemas topology checker collector online replay provoke bindings fixtures/drawing \
    \( -name '*.rs' -o -name '*.c' -o -name '*.h' -o -name 'Cargo.toml' \) -not -path '*/target/*' -not -path 'collector/bubbles/*' -not -path 'collector/calls/*' 2>/dev/null | sort)
BUBBLES := $(wildcard collector/bubbles/*/*.[ch] collector/bubbles/include/wastenot/*.h collector/bubbles/Makefile \
    collector/calls/*.[ch] collector/calls/ust/*.h collector/calls/calls.map collector/calls/Makefile)
SOURCES := $(shell find */src web/server/src bindings/python -name '*.py' 2>/dev/null | sort)
UI := $(shell find web/ui/src web/ui/index.html web/ui/vite.config.ts -type f 2>/dev/null | sort)
DOCS := $(shell find docs bench/README.md bench/results -type f -not -name '*.pyc' 2>/dev/null | sort) $(wildcard *.md)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile

build: .tools/native .tools/bytecode .tools/bubbles .tools/ui .tools/site ## install what is missing and build everything into .venv

.tools/env: scripts/bootstrap
	@scripts/bootstrap

.tools/python: .tools/env $(PROJECTS)
	@echo "build: Python packages (uv)"
	@$(TOOLS) uv sync --quiet --inexact --all-packages --no-install-package wastenot-native --compile-bytecode
	@touch $@

# Python writes it at the first import, but not where PYTHONDONTWRITEBYTECODE is set, as in many containers.
.tools/bytecode: .tools/python $(SOURCES)
	@$(TOOLS) .venv/bin/python -m compileall -q */src web/server/src bindings/python
	@touch $@

Cargo.lock: | .tools/python
	@$(TOOLS) scripts/pin --cargo

.tools/native: .tools/python $(NATIVE) | Cargo.lock
	@echo "build: native package (maturin, release)"
	@$(TOOLS) maturin develop --release --quiet --uv --features drawing -m bindings/Cargo.toml
	@touch $@

.tools/bubbles: .tools/env $(BUBBLES)
	@echo "build: libwastenot-bubble, libwastenot-calls (cc)"
	@$(MAKE) --silent -C collector/bubbles OUT=$(CURDIR)/bindings/python/wastenot/lib
	@$(MAKE) --silent -C collector/calls OUT=$(CURDIR)/bindings/python/wastenot/lib
	@touch $@

.tools/npm: .tools/env web/ui/package.json web/ui/package-lock.json
	@echo "build: Node packages (npm)"
	@$(TOOLS) npm --prefix web/ui install --no-save --silent # not `ci`: it insists on the packages of all other platforms
	@touch $@

.tools/ui: .tools/npm $(UI)
	@echo "build: browser (vite)"
	@$(TOOLS) npm --prefix web/ui run --silent build -- --logLevel warn
	@touch $@

.tools/site: .tools/python $(DOCS)
	@echo "build: documentation (sphinx)"
	@.venv/bin/python -m docs.site.build web/server/src/wastenot/web/documentation
	@touch $@

demo: build ## record this machine under a workload that provokes imbalance, print the verdict, show it in the browser
	@scripts/demo

test: build ## lint, generated files, Rust tests, Python tests, the browser's tests, but for the slow ones (tests/slow.txt); ends with the list of skips
	@scripts/test

test-all: build ## the same with the slow ones
	@scripts/test all

test-watch: build ## on a machine at rest: the sentinel, the black box and the wait ledger beside provoked waste
	@$(TOOLS) cargo build --release -p wastenot-ebpf --examples
	@$(TOOLS) WASTENOT_TEST_WATCH=1 cargo test --release -p wastenot-ebpf --test live_watch --test live_sentinel
	@WASTENOT_TEST_WATCH=1 .venv/bin/python -m pytest -q watch/tests/test_live.py tests/live/test_watch.py tests/live/test_wait_ledger.py

matrix: build ## the same schedules as every kernel release, tool version, format and machine writes them; all recordings and seeds, of which `make test` takes a sample
	@$(TOOLS) RELEASES=all cargo test -p wastenot-replay -p wastenot-online --test faults --test recordings
	@RELEASES=all .venv/bin/python -m pytest -q -n "$$(nproc)" --dist worksteal tests/test_releases.py tests/test_release_writers.py tests/test_misread_traces.py \
	    tests/test_second_oracle.py tests/test_windows.py tests/test_waits_add_up.py tests/test_online.py tests/test_rig.py tests/test_kernel_faults.py \
	    tests/test_advice.py tests/test_no_applications.py tests/test_self_checks.py tests/test_mutations.py

FUZZ_SECONDS ?= 600
fuzz: .tools/env ## fuzz every trace reader for FUZZ_SECONDS (600) each; findings go to .tools/fuzz/
	@scripts/fuzz $(FUZZ_SECONDS)

STREAMS ?= 100000
STREAMS_SEED ?= 0
streams: .tools/env Cargo.lock ## compare STREAMS (100,000) random event streams with a second reference, from STREAMS_SEED on
	@$(TOOLS) STREAMS=$(STREAMS) STREAMS_SEED=$(STREAMS_SEED) cargo test -p wastenot-checker --test streams -- --nocapture

lint: .tools/python .tools/npm Cargo.lock ## formatters in check mode, linters, type checkers, pins, licences
	@scripts/lint

fmt: .tools/python .tools/npm Cargo.lock ## format all files
	@scripts/lint --fix

generate: .tools/python ## write the files that follow from schemas/tables and schemas/enums.toml
	@.venv/bin/python -m wastenot.schemas.generate
	@.venv/bin/python -m wastenot.web.openapi web/server/openapi.json

docs: .tools/site ## build the documentation site, which `wastenot serve` shows under /docs/; fails at a broken link or a page outside of the navigation

MUTATIONS ?= 400
mutations: build ## import MUTATIONS (400) damaged traces per format in watched processes; broken ones go to .tools/mutations/
	@.venv/bin/python -m tests.mutations --count $(MUTATIONS)

bench: build ## measure against perf, trace-cmd and a SQL oracle in one run; writes bench/results/
	@$(TOOLS) .venv/bin/python -m bench.run

WATCH_PARTS ?=
WATCH_OPTIONS ?=
watch-promises: build ## what watch promises, measured (hours); a short form: WATCH_OPTIONS=--quick, one part: WATCH_PARTS=box; needs root
	@$(TOOLS) .venv/bin/python -m bench.watch $(WATCH_PARTS) $(WATCH_OPTIONS)

bench-compare: build ## this revision beside REV in one run: start, stored verdict, import with check (ratios with intervals); needs root
	@.venv/bin/python -m bench.compare $(REV)

figures: build ## print the figures of README.md, docs/guide/verdict.md, docs/experiments.md and docs/simulation.md again; fails when a page differs
	@.venv/bin/python -m bench.demo --check
	@.venv/bin/python -m bench.experiments --check
	@.venv/bin/python -m bench.simulation --check

SHOTS ?= out/screenshots
SHOTS_OF ?=
screenshots: build ## pictures of every view of machines with 2 to 256 CPUs, in three sizes, light and dark, into out/screenshots; SHOTS_OF='^verdict' for some
	@scripts/screenshots "$(SHOTS)" "$(SHOTS_OF)"

rig: build ## guests: real kernels (5.10, 6.1, 6.12, 7.2, 7.3) under QEMU in known situations; an hour or two, less with KERNELS=6.1 SCENARIOS="pinned released"
	@fixtures/rig/all

rig-faults: build ## guests whose kernels (6.1, 6.12, 7.3) have faults that are switched on; two hours, less with KERNELS=6.1 FAULTS="cache-hot"; writes bench/results/kernel_faults.md
	@fixtures/rig/faults/all

attribution: build ## how often the checker names the right cause, on simulated faults; writes bench/results/attribution.md
	@$(TOOLS) .venv/bin/python -m bench.attribution

dist: .tools/python .tools/ui .tools/site Cargo.lock ## build wheels of all components into dist/
	@scripts/dist

dist-check: ## install the wheels of dist/ into an empty environment and record with them
	@scripts/dist-check

deb: dist ## build the Debian package of the wheels into dist/; PYTHON=3.13 for Debian 13
	@scripts/deb

deb-check: ## install the Debian package of dist/ in a bare Debian, use it, purge it; needs root
	@scripts/deb-check

systemd-check: ## boot a Debian with systemd as PID 1, install the Debian package of dist/ there and run its service; needs root
	@scripts/systemd-check

chart-check: ## check the Helm chart and its manifest with Helm and the API server's validation; needs Go
	@scripts/chart-check

clean: ## remove all that was built (not packages installed on the machine)
	rm -rf target dist out .venv .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis bindings/python/wastenot/*.so
