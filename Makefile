# Everything a developer runs. `make demo` shows the product, `make test` says whether a change may go in.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
# The stages of `test` run one after another, so that the first failure is the last thing on the screen.
.NOTPARALLEL:

# The tools are those of .venv and see what is installed there, whatever the caller has activated.
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH
# pyright is held to one release in pyproject.toml; that a newer one exists is not news here.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

# What is compiled when the library is installed, where there is a compiler.
COMPILED := hatch_build.py $(wildcard src/singletable/*/*.[ch] src/singletable/*/*/*.[ch])

stage = @printf '== %s\n' '$(1)'

.PHONY: help demo test format lint types contracts unit map pictures reference docs fuzz properties soak sanitize clients bench bench-client differential clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.runtime ## five systems in single tables: every request, its answer and its cost
	@$(BIN)/singletable demo

test: lint types contracts unit ## everything below that checks, stopping at the first failure

format: $(VENV)/.installed ## rewrite the code in the one format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lint: $(VENV)/.installed ## the format and the lint rules (ruff)
	$(call stage,format)
	@$(BIN)/ruff format --check .
	$(call stage,lint)
	@$(BIN)/ruff check .

types: $(VENV)/.installed ## the types, as both checkers see them (mypy, pyright)
	$(call stage,types: mypy)
	@$(BIN)/mypy
	$(call stage,types: pyright)
	@$(BIN)/pyright

contracts: $(VENV)/.installed ## which way the imports point (import-linter)
	$(call stage,contracts)
	@$(BIN)/lint-imports --no-logo

unit: $(VENV)/.installed ## the tests (pytest)
	$(call stage,unit)
	@$(BIN)/pytest -n auto --dist worksteal  # the last long tests are shared, too

map: $(VENV)/.installed ## rewrite the map in ARCHITECTURE.md
	@$(BIN)/python tools/architecture_map.py

pictures: $(VENV)/.installed ## draw the pictures anew: of docs/, out of the models on its pages, and of the demo
	@$(BIN)/python -m tools.pictures
	@$(BIN)/python tools/demo_picture.py

reference: $(VENV)/.installed ## rewrite docs/reference out of the code
	@$(BIN)/python -m tools.reference

docs: $(VENV)/.docs ## the documentation as a site, in build/site; a broken link fails
	$(call stage,docs)
	@NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/mkdocs build --strict  # --quiet would hear no warnings, and let them pass
	@echo 'build/site/index.html'

fuzz: $(VENV)/.installed ## mutated requests, FUZZ (10000) for each of the engine's actions; FUZZ_SEED makes others
	$(call stage,fuzz)
	@FUZZ=$${FUZZ:-10000} $(BIN)/pytest -n auto tests/engine/fuzz

properties: $(VENV)/.installed ## the properties alone, for long
	$(call stage,properties)
	@HYPOTHESIS_PROFILE=long $(BIN)/pytest -n auto -m hypothesis

soak: $(VENV)/.installed ## the engine against its oracle, kill -9 and crowds of writers, SOAK (20) times as long
	$(call stage,soak)
	@SOAK=$${SOAK:-20} $(BIN)/pytest -n auto tests/engine/test_against_oracle.py tests/engine/test_large_against_oracle.py \
		tests/engine/test_crash.py tests/engine/test_backup_crash.py tests/engine/test_concurrency.py

SANITIZE := -g -O1 -Wall -Wextra -Wno-missing-field-initializers -Wno-unused-parameter -Wno-cast-function-type -Werror \
	-fsanitize=address,undefined -shared -fPIC

sanitize: $(VENV)/.installed ## the compiled parts with gcc's sanitizers, which stop at a byte too far
	$(call stage,sanitize)
	@rm -rf build/sanitized && mkdir -p build/sanitized && cp -r src/singletable build/sanitized/
	@headers="$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))')"; \
	suffix="$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')"; \
	for source in $$(cd src && find singletable -name '*.c'); do \
		gcc $(SANITIZE) -I"$$headers" src/$$source -o "build/sanitized/$${source%.c}$$suffix"; \
	done
	@LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
		UBSAN_OPTIONS=halt_on_error=1 PYTHONMALLOC=malloc PYTHONPATH=build/sanitized \
		$(BIN)/python -m pytest tests/client/items/test_quick_rows.py tests/values/test_accept.py tests/engine/test_keys.py

clients: $(VENV)/.installed ## every client of docs/clients.md against the server, and CDK synth; the unit tests run the quick ones
	$(call stage,clients)
	@CLIENTS=all $(BIN)/pytest -n auto -rs tests/clients tests/export/test_cdk_python.py

bench: $(VENV)/.installed ## the engine beside its peers, as a table of ratios; BENCH="--quick" passes options
	@$(BIN)/python bench/engine.py $(BENCH)

bench-client: $(VENV)/.installed ## typed reads and writes compared with other clients; BENCH="--rows writes" passes options
	@$(BIN)/python bench/client.py $(BENCH)

differential: $(VENV)/.installed ## the engine against DynamoDB Local on random requests; DIFFERENTIAL="--seed 7" passes options
	@$(BIN)/python -m tests.differential $(DIFFERENTIAL)

clean: ## remove everything that was made
	rm -rf $(VENV) .clients .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find src tests tools examples bench -name __pycache__ -type d -prune -exec rm -rf {} +
	find src -name '*.so' -delete

# Stamps: the environment, what the product needs to run, what its developers need; each of these holds the one before it.
# And what the documentation needs as a site.

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'singletable needs Python 3.11 or newer: make PYTHON=python3.11' >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || \
		{ rm -rf $(VENV); echo 'Python could not make a virtual environment.' \
		'On Debian or Ubuntu, install the package python3-venv and try again.' >&2; exit 1; }
	@touch $@

$(VENV)/.runtime: pyproject.toml $(COMPILED) | $(VENV)/.created
	$(call stage,install)
	@$(PIP) install -q -e '.[demo]'
	@touch $@

$(VENV)/.installed: pyproject.toml $(COMPILED) | $(VENV)/.created
	$(call stage,install)
	@$(PIP) install -q -e '.[dev]'
	@touch $(VENV)/.runtime $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.created
	$(call stage,install)
	@$(PIP) install -q -e '.[docs]'
	@touch $@
