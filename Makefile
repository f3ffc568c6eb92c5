PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
STAMP_ALL := $(VENV)/.installed-all
PEERS := .venv-peers
LOWEST := .venv-lowest
WITH_LOWEST := tests/formats/test_parquet.py tests/formats/test_objects.py tests/collection tests/report/test_charts.py \
  tests/report/test_report.py tests/measures/test_documents.py tests/study/test_compare.py tests/cli/test_cli.py \
  tests/test_mistakes.py
TESTED := --constraint constraints.txt  # no newer versions than those that are recorded as tested
MATHJAX := mathjax@3.2.2  # formulas of the documentation
SIZES ?= 0.1 1.2 12
CASES ?= 300000
SEED ?= 1
PARALLEL ?= -n auto --dist worksteal  # a worker keeps the tests of a file together until another is idle

.PHONY: demo test test-all test-lowest check attack bench docs screenshots sbom constraints clean

$(STAMP): pyproject.toml constraints.txt CMakeLists.txt $(wildcard src/native/*)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet $(TESTED) --editable . --group dev
	touch $@

$(STAMP_ALL): $(STAMP)
	$(BIN)/python -m pip install --quiet $(TESTED) --group peers --group docs
	npm install --no-save --silent --prefix $(VENV)/npm axe-core $(MATHJAX)
	touch $@

$(PEERS)/.installed:  # what benchmarks compare with, apart from what is developed
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet pytrec-eval-terrier ir_measures ranx
	touch $@

demo: $(STAMP)
	$(BIN)/partwise demo demo-output

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/typed_examples.py

test: check
	$(BIN)/python -m pytest -m "not slow" $(PARALLEL)

test-all: $(STAMP_ALL) $(PEERS)/.installed  # what make test leaves out: other tools, Spark, a browser, sanitizers, minutes
	$(BIN)/python -m pytest -m slow $(PARALLEL)

$(LOWEST)/.installed: pyproject.toml tools/dependencies.py CMakeLists.txt $(wildcard src/native/*) | $(STAMP)
	$(BIN)/python tools/dependencies.py lowest build/lowest.txt
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(LOWEST)/bin/python -m pip install --quiet --constraint build/lowest.txt --editable ".[report]" --group test
	touch $@

test-lowest: $(LOWEST)/.installed  # what touches other packages most, with the lowest versions that pyproject.toml allows
	PARTWISE_EXAMPLES=5 $(LOWEST)/bin/python -m pytest -m "not slow" $(PARALLEL) $(WITH_LOWEST)

attack: $(STAMP)  # mutated inputs for every format and command, for a night; goes on where it was interrupted
	$(BIN)/python tools/attack.py --cases $(CASES) --seed $(SEED) --jobs $$(nproc)

bench: $(STAMP_ALL) $(PEERS)/.installed  # all of them, even after a missed target; SIZES="0.1 1.2" leaves out the largest
	missed=0; \
	for name in start instructions evaluate objects diagnose index elements locate xcg navigation study report; do $(BIN)/python bench/$$name.py || missed=1; done; \
	PARTWISE_PEERS=$(PEERS)/bin/python $(BIN)/python bench/rows.py || missed=1; \
	PARTWISE_PEERS=$(PEERS)/bin/python $(BIN)/python bench/table.py --sizes "$(SIZES)" --slow-rounds 1 || missed=1; \
	exit $$missed

docs: $(STAMP)  # the documentation as a site in build/site, its figures and links checked
	$(BIN)/python -m pip install --quiet $(TESTED) --group docs
	test -d $(VENV)/npm/node_modules/mathjax || npm install --no-save --silent --prefix $(VENV)/npm $(MATHJAX)
	$(BIN)/python docs/checking.py
	VENV=$(VENV) $(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site
	$(BIN)/python docs/links.py build/site

screenshots: $(STAMP_ALL)  # the pictures of the report in docs/images
	$(BIN)/python tools/screenshots.py

sbom: $(STAMP_ALL)  # a bill of materials in CycloneDX JSON: partwise and everything that it needs
	$(BIN)/python tools/dependencies.py sbom build/sbom.json

constraints: $(STAMP_ALL)  # install the newest version of every package that partwise needs, and record it as tested
	$(BIN)/python -m pip install --quiet --upgrade --upgrade-strategy eager --editable ".[report,spark,irds]"
	$(BIN)/python tools/dependencies.py constraints constraints.txt

clean:
	rm -rf $(VENV) $(PEERS) $(LOWEST) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist demo-output docs/generated docs/_static
