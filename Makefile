# make run [WORKSPACE=DIR]   set up and start the daemon
# make test                  set up and run the tests, but for those that take many seconds
# make check                 format, lint, types, import rules and all tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
N ?= 300
T ?= 60
PLACES ?= 25
# Tests run side by side, those of a file together, since they may share a daemon. Half of them wait for one.
WORKERS := $(shell $(PYTHON) -c 'import os; print(max(2, 3 * os.cpu_count() // 2))')
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
COMPILER := $(shell command -v c++ || command -v g++ || command -v clang++)
# llama.cpp's code for AMX crashes when gcc builds it; without it the same processors run AVX-512.
NO_AMX := $(shell test "$$(uname -m)" = x86_64 && $(COMPILER) -mno-amx-tile -x c++ -E /dev/null >/dev/null 2>&1 && echo -mno-amx-tile -mno-amx-int8 -mno-amx-bf16)

.PHONY: run test check format local model bench crash faults poisoning fuzz soak install-service clean

# The base needs wheels only: seconds, no compiler.
$(VENV)/base.stamp: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memd needs Python 3.11 or newer")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up memd in $(VENV) ..."
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/base.stamp
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@

# llama-cpp-python comes as source: 5 to 10 minutes of compiling, once; pip keeps the wheel.
$(VENV)/local.stamp: $(VENV)/base.stamp
ifeq ($(COMPILER),)
	@echo "No C++ compiler here: search by keyword works, search by meaning needs one (or a remote provider)."
else
	@echo "Building the local embedder with $(COMPILER): 5 to 10 minutes the first time ..."
	@if CFLAGS="$(NO_AMX)" CXXFLAGS="$(NO_AMX)" $(PIP) install -c constraints.txt -e '.[local]'; then touch $@; \
	else echo "The local embedder could not be built: search by keyword works; the next make tries again."; fi
endif

local: $(VENV)/local.stamp

model: local
	@if test -e $(VENV)/local.stamp; then $(BIN)/memd model install; fi

# The daemon serves by keyword at once; embedder and model are built beside it and picked up when they are there.
run: $(VENV)/base.stamp
	@$(BIN)/memd run $(if $(WORKSPACE),--workspace "$(WORKSPACE)") & daemon=$$!; \
	trap 'kill $$daemon $$setup 2>/dev/null; wait $$daemon; exit $$?' INT TERM; \
	$(MAKE) --no-print-directory model & setup=$$!; \
	wait $$daemon; code=$$?; kill $$setup 2>/dev/null; exit $$code

test: $(VENV)/dev.stamp local
	@$(PYTEST) -m "not slow"

format: $(VENV)/dev.stamp
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

check: $(VENV)/dev.stamp local
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(PYTEST)

bench: $(VENV)/dev.stamp local
	@$(BIN)/python -m benchmarks $(if $(LOCOMO),--locomo "$(LOCOMO)") $(if $(MULTILINGUAL),--multilingual "$(MULTILINGUAL)")

# The large suites: docs/testing.md. Each ends with what it counted.
crash: $(VENV)/dev.stamp
	@MEMD_CRASH_ROUNDS=$(N) MEMD_FAULT_PLACES=20 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m crash

faults: $(VENV)/dev.stamp
	@MEMD_FAULT_PLACES=$(PLACES) MEMD_OVERFLOW_FILES=20000 MEMD_SWAP_SECONDS=30 MEMD_MODE_ROUNDS=5 \
		$(BIN)/python -m pytest -q -m fault

poisoning: $(VENV)/dev.stamp
	@$(BIN)/python -m pytest -m poisoning

fuzz: $(VENV)/dev.stamp
	@MEMD_FUZZ_REQUESTS=10000 MEMD_FUZZ_CALLS=20000 MEMD_FUZZ_SECONDS=$(T) $(BIN)/python -m pytest -q -m fuzz

soak: $(VENV)/dev.stamp
	@$(BIN)/python -m tests.soak --seconds $(T) $(if $(JSON),--json)

install-service: $(VENV)/base.stamp
	@$(BIN)/memd service install

clean:
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist *.egg-info .cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
