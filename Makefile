# All commands of the project. `make up` and `make test` install everything they need; they require Python 3.11 or
# newer and make.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo "$$p"; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
SERVER := $(VENV)/.server-installed
DEV := $(VENV)/.dev-installed
GENERATOR := $(VENV)/.generator-installed
MADE := $(VENV)/.made
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-input --progress-bar off
LOG := $(VENV)/install.log
# What an installer says goes to the log; where it fails, the log's last lines are shown, and its exit code is kept.
LOGGED = >> $(LOG) 2>&1 || { code=$$?; echo "failed; last lines of $(LOG):"; tail -n 20 $(LOG); exit $$code; }

.PHONY: up test busy chaos browser paint bench check fix pins migration docs console types clean help FORCE

help:  ## list all targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

up: $(SERVER)  ## install and start everything; Ctrl-C stops it
	@$(BIN)/python console/build.py
	@exec $(BIN)/python -m hashinsight up --demo

test: $(DEV) $(GENERATOR)  ## install everything and run all checks and the whole suite
	@$(BIN)/python console/build.py
	@exec $(BIN)/python -m tests.budget

busy: $(DEV) $(GENERATOR)  ## run the suite three times in a row with both cores busy; an hour and a half
	@$(BIN)/python console/build.py
	@exec $(BIN)/python -m tests.busy

chaos: $(DEV)  ## long campaigns: 1,000 command races, 400 model-based runs, 20 killed collectors, 90 killed uploads, replay against database; two hours at most
	@HI_RACES=1000 timeout 4800 $(BIN)/pytest tests/commands/race -q -n 3
	@HI_EXAMPLES=400 $(BIN)/pytest tests/commands/model -q --timeout=7200
	@HI_KILLS=90 $(BIN)/pytest tests/chaos/test_ingest_killed.py -q
	@HI_PATHS=2 $(BIN)/pytest tests/problems/test_both_paths.py -q
	@HI_EDGE_SEEDS=$$(seq -s, 1 20) $(BIN)/pytest tests/edge/test_full_stack_killed.py -q -n 2

browser: $(DEV)  ## only the browser tests of the console, with a screenshot of each page in console/shots
	@$(BIN)/python console/build.py
	@$(BIN)/pytest tests/console -q

paint: $(DEV)  ## measure page load and map frame rate with 20,000 machines; on a quiet machine
	@$(BIN)/python console/build.py
	@HI_MEASURE=1 $(BIN)/pytest tests/console/pages/test_speed.py tests/console/pages/test_size.py -q
	@cat console/shots/figures.json

bench: $(SERVER)  ## score detection on unseen seeds; most of an hour on both cores
	@$(BIN)/python -m hashinsight bench detection

check: $(DEV)  ## lint, types, import contracts, models against migrations
	@$(BIN)/python -m tests.budget --only-checks

fix: $(DEV)  ## format and apply automatic lint fixes
	@$(BIN)/ruff format src tests
	@$(BIN)/ruff check --fix src tests

pins: $(DEV)  ## recompile requirements/*.txt from pyproject.toml
	@$(PIP) uv $(LOGGED)
	@sh requirements/compile $(BIN)

migration: $(SERVER)  ## draft the next migration from the models: make migration NAME="what it does"
	@$(BIN)/hashinsight migrate --draft "$(NAME)"

docs: $(SERVER)  ## regenerate the tables and diagrams in docs
	@$(BIN)/python -m hashinsight docs docs

console: $(SERVER)  ## build the console into the package; `make up` does this too
	@$(BIN)/python console/build.py

types: $(SERVER)  ## regenerate the console's types from the OpenAPI document
	@$(BIN)/python console/build.py types

clean:  ## remove everything built or installed in this folder (keeps your data folder)
	@rm -rf console/node_modules src/hashinsight/app/console_files $(VENV) .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# The stamp is written last and holds the folder's name: an environment that was cut short, moved or made for another
# Python is made anew. One that belongs to somebody else is left alone.
$(MADE): FORCE
	@if [ "$$(cat $@ 2>/dev/null)" = "$(CURDIR)" ] && $(VENV)/bin/python -c '' 2>/dev/null; then exit 0; fi; \
	if [ -e $(VENV) ] && [ ! -O $(VENV) ]; then \
		echo "$(CURDIR)/$(VENV) belongs to another user: use a checkout of your own"; exit 1; fi; \
	if ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
		echo "HashInsight needs Python 3.11 or newer$(if $(PYTHON),: $(PYTHON) is not,); install it, or run make PYTHON=/path/to/python"; exit 1; fi; \
	if ! "$(PYTHON)" -c 'import venv, ensurepip' >/dev/null 2>&1; then \
		echo "Python's venv module is missing: on Debian and Ubuntu, apt-get install python3-venv"; exit 1; fi; \
	echo "making $(VENV) with $$("$(PYTHON)" --version)"; rm -rf $(VENV); \
	"$(PYTHON)" -m venv $(VENV) && echo "$(CURDIR)" > $@

$(SERVER): requirements/server.txt pyproject.toml $(MADE)
	@echo "installing the server's packages from the package index that pip is set up for (half a minute)"
	@$(PIP) --require-hashes -r requirements/server.txt $(LOGGED)
	@$(PIP) --no-deps --no-build-isolation --editable . $(LOGGED)
	@touch $@

$(DEV): requirements/dev.txt $(SERVER)
	@echo "installing the tools for tests (half a minute)"
	@$(PIP) --require-hashes -r requirements/dev.txt $(LOGGED)
	@touch $@

$(GENERATOR): requirements/generator.txt $(MADE)
	@echo "installing the generator of API clients (some seconds)"
	@$(BIN)/python -m venv $(VENV)/generator $(LOGGED)
	@$(VENV)/generator/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off --require-hashes \
		-r requirements/generator.txt $(LOGGED)
	@touch $@
