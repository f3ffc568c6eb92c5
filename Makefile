PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STAMP_ALL := $(VENV)/.installed-all

.PHONY: demo test test-all check bench docs clean

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

$(STAMP_ALL): $(STAMP)
	$(BIN)/python -m pip install --quiet --group peers --group docs
	npm install --no-save --silent --prefix $(VENV)/npm axe-core
	touch $@

demo: $(STAMP)
	$(BIN)/partwise demo demo-output

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: check
	$(BIN)/python -m pytest -m "not slow"

test-all: $(STAMP_ALL)  # everything, slow tests too
	$(BIN)/python -m pytest

bench: $(STAMP)
	$(BIN)/python bench/start.py
	$(BIN)/python bench/evaluate.py
	$(BIN)/python bench/index.py
	$(BIN)/python bench/xcg.py

docs: $(STAMP)  # the documentation as a site in build/site
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist demo-output docs/generated
