# Recite. `make demo` shows everything; `make test` proves it. Neither needs anything but Python and a package index.
PYTHON ?= python3
EXTRAS ?= dev
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-$(EXTRAS)

.PHONY: install demo test check fix dev eval clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"Recite needs Python 3.11 or newer, this is {v.major}.{v.minor}. Try: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(EXTRAS)]'
	$(BIN)/python -m compileall -q graph nodes tools stores eval training
	@touch $@

demo: install
	$(BIN)/python -m graph.cli demo

test: install
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .

fix: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

dev: install
	$(BIN)/langgraph dev

eval: install
	$(BIN)/python -m eval --help

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
