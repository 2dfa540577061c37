# Every target works as the first command on a machine that has Python 3.11+ and make: it makes
# its own virtual environment. PYTHON=/path/to/python picks the interpreter, VENV=dir the place.

VENV ?= .venv
PYTHON ?=
BIN := $(VENV)/bin

.PHONY: help demo test coverage check lint format docs screenshots clean

help:
	@echo "make demo      play three sessions of work in a throw-away folder and show what was remembered"
	@echo "make test      run the tests"
	@echo "make coverage  run the tests and show the lines and branches they miss"
	@echo "make check     format check, lint, types, import contracts and tests"
	@echo "make format    format the source"
	@echo "make docs      write docs/commands.md anew from the commands themselves"
	@echo "make screenshots  write screenshots/ anew from the demo's store"
	@echo "make clean     remove the virtual environment and all caches"

demo: $(VENV)/.base
	$(BIN)/tur-adm demo --print

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 4 --dist worksteal

coverage: $(VENV)/.dev
	$(BIN)/python -m pytest --cov

check: lint test

lint: $(VENV)/.dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py
	$(BIN)/python -m tur_tui.actions > docs/keys.md

screenshots: $(VENV)/.dev
	$(BIN)/python -m tur_tui.screenshots screenshots

clean:
	rm -rf $(VENV) .ci/venv build dist .coverage .coverage.* htmlcov snapshot_report.html
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps mark what is installed. A changed pyproject.toml installs again.
$(VENV)/.base: pyproject.toml | $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@ $(VENV)/.base

$(VENV)/.made:
	@for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python); do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Making $(VENV) with $$("$$python" --version)"; \
			"$$python" -m venv --clear "$(VENV)" && touch "$@" && exit 0; \
			echo "make: $$python cannot make a virtual environment; on Debian and Ubuntu install python3-venv" >&2; \
			rm -rf "$(VENV)"; exit 1; \
		fi; \
	done; \
	echo "make: no Python 3.11 or newer found; name one with PYTHON=/path/to/python" >&2; exit 1
