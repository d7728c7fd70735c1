# Everything a contributor runs. `make lab` and `make test` set up what they need;
# the second time they are quick. GNU make 3.81 (macOS) is enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=

# npm scripts call `jupyter` and `python` of the checkout's own environment.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Without compiled files, each process compiles every module, and pytest rewrites every test.
unexport PYTHONDONTWRITEBYTECODE

SETUP := $(PYTHON) scripts/environment.py
SOURCES := $(shell find js_src style schema -mindepth 1 2>/dev/null) \
  package.json package-lock.json tsconfig.json scripts/bundle.mjs \
  scripts/build_hash.cjs scripts/labextension.cjs
ALLOW_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

.DEFAULT_GOAL := help
.PHONY: help lab test test-py test-js test-ui test-all check format schema build bench picture lock \
  clean clean-all environment browser

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

lab: build ## Open JupyterLab on a copy of examples/tour.ipynb (ARGS="--no-browser --port 9999")
	@$(BIN)/python scripts/lab_examples.py
	@printf '\ndaskscope: starting JupyterLab; Ctrl-C here stops it\n' >&2
	$(BIN)/jupyter lab --ServerApp.root_dir=.lab --LabApp.default_url=/lab/tree/tour.ipynb \
	  --LabApp.workspaces_dir=$(CURDIR)/$(VENV)/workspaces \
	  --LabApp.user_settings_dir=$(CURDIR)/$(VENV)/user-settings $(ALLOW_ROOT) $(ARGS)

test: browser build ## Run the tests: Python, TypeScript, and in a real JupyterLab
	$(BIN)/python scripts/side_by_side.py --make "$(MAKE)" test-py "test-ui test-js"

test-py: build
	$(BIN)/python scripts/python_tests.py $(ARGS)

test-js: environment
	CHROMIUM="$$($(SETUP) browser)" && export CHROMIUM && npx --no-install vitest run

test-ui: build
	CHROMIUM="$$($(SETUP) browser)" && export CHROMIUM && npm run --silent test:ui

check: environment ## Formatting, lint, types, import arrows, stale generated files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	MYPYPATH=scripts $(BIN)/mypy scripts
	npm run --silent check:format
	npm run --silent check:lint
	npm run --silent check:types
	$(BIN)/python scripts/check_imports.py
	$(BIN)/python scripts/check_generated.py
	$(BIN)/python -m pytest -q tests/py/test_contract.py

test-all: build ## Also the slow tests, the version matrix, the wheel, other hosts (long; makes .envs/)
	CHROMIUM="$$($(SETUP) browser)" && export CHROMIUM && $(BIN)/python scripts/matrix.py $(ARGS)

bench: build ## Measure, next to what Dask has; JSON lines into bench-results/
	CHROMIUM="$$($(SETUP) browser)" && export CHROMIUM && $(BIN)/python scripts/bench.py $(ARGS)

picture: build ## Take the pictures of README and guide again, in a real JupyterLab
	CHROMIUM="$$($(SETUP) browser)" && export CHROMIUM && PICTURE=1 npm run --silent test:ui

format: environment ## Format both languages
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	npm run --silent format

schema: environment ## Write the files that are generated: js_src/schema.ts, golden messages
	$(BIN)/python scripts/check_generated.py --write
	$(BIN)/python tests/contract/generate.py
	$(BIN)/python tests/contract/series.py

build: $(VENV)/.built ## Build labextension and widget

$(VENV)/.built: $(SOURCES) | environment
	@printf '\ndaskscope: building the labextension and the widget\n' >&2
	rm -rf lib
	npm run --silent build
	$(SETUP) develop
	touch $@

# First, so that a missing browser is reported before the other tests run.
browser:
	@$(SETUP) browser > /dev/null

environment:
	@$(SETUP) packages

lock: environment ## Pin the newest allowed packages in requirements.lock
	$(BIN)/python -m pip install --quiet uv
	{ echo '# Everything of the development environment, pinned. `make lock` writes this file.'; \
	  $(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
	    --upgrade --no-header --no-annotate --quiet; } > requirements.lock.new
	mv requirements.lock.new requirements.lock

clean: ## Remove what was built
	rm -rf lib dist py_src/daskscope/labextension py_src/daskscope/static \
	  $(VENV)/.built ui-tests/test-results ui-tests/playwright-report coverage

clean-all: clean ## Remove the environments, too
	rm -rf $(VENV) .envs node_modules
