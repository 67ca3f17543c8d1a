# Everything a developer runs. `make demo` shows the product; `make test` decides whether a change may be merged.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
# The stages of `test` run one after another, so that the first failure is the last output.
.NOTPARALLEL:

# Use the tools and packages of .venv, whatever environment the caller has activated.
unexport VIRTUAL_ENV PYTHONHOME PYTHONPATH
# pyproject.toml pins pyright; do not print that a newer release exists.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

# C sources, compiled on installation where there is a compiler.
COMPILED := hatch_build.py $(wildcard src/singletable/*/*.[ch] src/singletable/*/*/*.[ch])

# `make quick` runs the tests of these packages: they need no server, no process and no disk.
CORE := tests/values tests/expressions tests/partiql tests/wire tests/model tests/planner tests/house/test_names.py tests/house/test_language.py

stage = @printf '== %s\n' '$(1)'

.PHONY: help demo test quick coverage format lint types contracts unit map pictures studio-pictures studio-million accessibility reference docs fuzz properties soak faults simulate consolidate statements sanitize clients bench bench-client bench-cold differential walk clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.runtime ## run five example systems: every request, its answer and its cost
	@$(BIN)/singletable demo

test: lint types contracts sanitize unit ## all checks, stopping at the first failure

quick: $(VENV)/.installed ## the checks for every save: ruff, mypy and the core tests, in under a minute
	@$(BIN)/ruff format --check -q .
	@$(BIN)/ruff check -q .
	@$(BIN)/mypy
	@$(BIN)/pytest -n auto -m 'not slow' $(CORE)

format: $(VENV)/.installed ## format the code (ruff)
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lint: $(VENV)/.installed ## check the format and the lint rules (ruff)
	$(call stage,format)
	@$(BIN)/ruff format --check .
	$(call stage,lint)
	@$(BIN)/ruff check .

types: $(VENV)/.installed ## check the types (mypy, pyright)
	$(call stage,types: mypy)
	@$(BIN)/mypy
	$(call stage,types: pyright)
	@$(BIN)/pyright

contracts: $(VENV)/.installed ## check which packages import which (import-linter)
	$(call stage,contracts)
	@$(BIN)/lint-imports --no-logo

unit: $(VENV)/.installed ## run the tests (pytest)
	$(call stage,unit)
	@$(BIN)/pytest -n auto --dist worksteal || $(BIN)/python -m tools.second_run $$?  # worksteal: an idle worker takes over tests of a busy one

coverage: $(VENV)/.installed ## run the tests and report line and branch coverage, in build/coverage too
	$(call stage,coverage)
	@COVERAGE_FILE=build/coverage/data $(BIN)/pytest -n auto --dist worksteal --cov --cov-report=term --cov-report=html:build/coverage/html

map: $(VENV)/.installed ## rewrite docs/reference/modules.md, the list of modules
	@$(BIN)/python tools/module_map.py

pictures: $(VENV)/.installed ## redraw the pictures in docs/, from the models on the pages, and the picture of the demo
	@$(BIN)/python -m tools.pictures
	@$(BIN)/python tools/demo_picture.py

studio-pictures: $(VENV)/.installed ## photograph the screens of the studio for its guide; needs Chromium
	@$(BIN)/python -m tools.studio_pictures

reference: $(VENV)/.installed ## rewrite the API and CLI reference in docs/reference from the code
	@$(BIN)/python -m tools.reference

docs: $(VENV)/.docs ## build the documentation as a website in build/site; a broken link fails
	$(call stage,docs)
	@NO_MKDOCS_2_WARNING=1 PYTHONPATH=. $(BIN)/mkdocs build --strict  # with --quiet, warnings would not fail the build
	@echo 'build/site/index.html'

fuzz: $(VENV)/.installed ## send mutated requests to the engine: FUZZ=10000 per action, FUZZ_SEED for another series
	$(call stage,fuzz)
	@FUZZ=$${FUZZ:-10000} $(BIN)/pytest -n auto tests/engine/fuzz

properties: $(VENV)/.installed ## run the property tests with many more examples
	$(call stage,properties)
	@HYPOTHESIS_PROFILE=long $(BIN)/pytest -n auto -m hypothesis

soak: $(VENV)/.installed ## compare the engine with its oracle, kill it, and run many writers: SOAK=20 times as long as in the tests
	$(call stage,soak)
	@SOAK=$${SOAK:-20} $(BIN)/pytest -n auto tests/engine/oracle/test_against_oracle.py tests/engine/oracle/test_large_against_oracle.py \
		tests/engine/test_crash.py tests/engine/test_backup_crash.py tests/engine/test_concurrency.py

simulate: $(VENV)/.installed ## run migrations with concurrent clients, and stream runners, all killed at random: SIMULATION=1000 seeds
	$(call stage,simulate)
	@SIMULATION=$${SIMULATION:-1000} $(BIN)/pytest -n auto tests/migrations/test_simulation.py tests/migrations/test_shop_simulation.py \
		tests/streams/test_three_runners.py

consolidate: $(VENV)/.installed ## move a shop of 50,000 rows from four tables to one while processes are killed, and 1,000 simulated moves
	$(call stage,consolidate)
	@SIMULATION=$${SIMULATION:-1000} MOVED_ROWS=$${MOVED_ROWS:-50000} $(BIN)/pytest -n auto tests/consolidation/test_shop_moves.py tests/consolidation/test_killed_processes.py

statements: $(VENV)/.installed ## compare random SQL statements with DuckDB over a full export: STATEMENTS=500
	$(call stage,statements)
	@STATEMENTS=$${STATEMENTS:-500} $(BIN)/pytest tests/analytics/test_sql_query.py

designs: $(VENV)/.installed ## design DESIGNS=1000 random models, and prove them by check and by witness; apply all remedies of MODELS=500
	$(call stage,designs)
	@DESIGNS=$${DESIGNS:-1000} MODELS=$${MODELS:-500} $(BIN)/pytest tests/design/test_random_tables.py tests/verify/test_joint_remedies.py

faults: $(VENV)/.installed ## run random operations under random faults: SEED=1 RUNS=1000 SCENARIO=name; without SEED, long tests of faults too
	$(call stage,faults)
	@$(BIN)/python -m tests.engine.faults.fault_runs --seed $${SEED:-1} --runs $${RUNS:-1000} $${SCENARIO:+--scenario $$SCENARIO}
	@if [ -n "$${SEED:-}" ]; then exit 0; fi; \
	FAULTS=1 SOAK=$${SOAK:-20} $(BIN)/pytest -n auto tests/engine/faults tests/engine/storage/test_log_damage.py \
		tests/engine/test_waiting_requests.py tests/engine/test_steady_clock.py tests/engine/test_durability.py \
		tests/client/test_forked_process.py tests/client/test_response_checks.py

SANITIZED := tests/client/items/test_fast_rows.py tests/values/test_item_validation.py tests/engine/items/test_item_keys.py \
	tests/engine/storage/test_row_checksum.py

studio-million: $(VENV)/.installed ## browse a million items in Chromium: STUDIO_ITEMS=1000000, and send STUDIO_REQUESTS=10000
	$(call stage,studio-million)
	@STUDIO_ITEMS=$${STUDIO_ITEMS:-1000000} $(BIN)/pytest -rs tests/studio/browser/test_stores.py -k large
	@STUDIO_REQUESTS=$${STUDIO_REQUESTS:-10000} $(BIN)/pytest -rs tests/studio/test_studio_load.py

accessibility: $(VENV)/.installed ## check every screen of the studio with axe-core, from npm, in Chromium
	$(call stage,accessibility)
	@npm install --silent --no-package-lock --prefix tests/studio/browser
	@$(BIN)/pytest -rs tests/studio/browser/test_accessibility.py

sanitize: $(VENV)/.installed ## test the compiled modules with gcc's address and undefined-behaviour sanitizers
	$(call stage,sanitize)
	@if ! command -v gcc > /dev/null; then echo 'skipped: gcc is not installed'; exit 0; fi; \
	$(BIN)/python tools/sanitized_build.py build/sanitized; \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
		UBSAN_OPTIONS=halt_on_error=1 PYTHONMALLOC=malloc PYTHONPATH=build/sanitized \
		$(BIN)/python -m pytest $(SANITIZED)

clients: $(VENV)/.installed ## test every client of docs/guides/clients.md with the server, and synthesise the CDK stack
	$(call stage,clients)
	@CLIENTS=all $(BIN)/pytest -n auto -rs tests/clients tests/export/test_cdk_python.py

bench: $(VENV)/.installed ## compare the engine with its peers; BENCH="--quick" passes options
	@$(BIN)/python bench/engine.py $(BENCH)

bench-client: $(VENV)/.installed ## compare typed reads and writes with other clients; BENCH="--rows writes" passes options
	@$(BIN)/python bench/client.py $(BENCH)

bench-cold: $(VENV)/.installed ## compare the cold start with boto3 and pydynox; BENCH="--clock cpu" passes options
	@$(BIN)/python bench/cold_start.py $(BENCH)

differential: $(VENV)/.installed ## compare the engine with DynamoDB Local on random requests; DIFFERENTIAL="--seed 7" passes options
	@$(BIN)/python -m tests.differential $(DIFFERENTIAL)

walk: $(VENV)/.installed ## count the calls, files and package switches of five flows
	@$(BIN)/python tools/walk.py

clean: ## remove everything that make created
	rm -rf $(VENV) .clients .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find src tests tools examples bench -name __pycache__ -type d -prune -exec rm -rf {} +
	find src -name '*.so' -delete

# Stamp files: the environment, the product's dependencies, the developers' dependencies (each includes the one before),
# and the dependencies of the documentation website.

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'singletable needs Python 3.11 or newer: make PYTHON=python3.11' >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || \
		{ rm -rf $(VENV); echo 'Python could not make a virtual environment.' \
		'On Debian or Ubuntu, install the package python3-venv and try again.' >&2; exit 1; }
	@touch $@

$(VENV)/.runtime: pyproject.toml $(COMPILED) | $(VENV)/.created
	$(call stage,install)
	@$(PIP) install -q -e '.[demo,serve]'
	@touch $@

$(VENV)/.installed: pyproject.toml $(COMPILED) | $(VENV)/.created
	$(call stage,install)
	@$(PIP) install -q -e '.[dev]'
	@touch $(VENV)/.runtime $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.created
	$(call stage,install)
	@$(PIP) install -q -e '.[docs]'
	@touch $@
