# Two commands matter: `make demo` and `make test`. Both create .venv from the locked, hashed requirements.

# Hundreds of processes start in the tests. Without bytecode files each of them compiles a thousand modules, which takes 2 s.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.run-stamp
DEV    := $(VENV)/.dev-stamp
# Half of the files are those of plotly, which few commands load: an import compiles what it needs, pip would take 40 s for all.
INSTALL := --quiet --disable-pip-version-check --no-deps --no-compile

.PHONY: demo test test-components test-duckdb-1.5.5 test-lake test-lake-s3 test-lake-ray check docs coverage mutants screenshots serve dist sbom clean

demo: $(RUN)             ## the main job on real data, with nothing but this machine
	$(BIN)/driftd demo $(ARGS)

test: $(DEV)             ## the suite, in parallel, without the component tests
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not component" $(ARGS)

test-components: $(DEV)  ## whole processes and real components: kills, browsers, clients, brokers (tests/components.py)
	PYTHON_OF_TESTS=$(BIN)/python .ci/components -m "$(or $(TESTS),component)" $(ARGS)

OLD_DUCKDB := $(VENV)/duckdb-1.5.5
$(OLD_DUCKDB)/.stamp: requirements-duckdb-1.5.5.lock | $(DEV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --require-hashes \
		--target $(OLD_DUCKDB) -r requirements-duckdb-1.5.5.lock
	touch $@

test-duckdb-1.5.5: $(DEV) $(OLD_DUCKDB)/.stamp   ## the store on the oldest DuckDB we allow, and its big tables on DuckLake
	PYTHONPATH=$(OLD_DUCKDB) $(BIN)/python -m pytest -n auto --dist loadgroup $(or $(OLD_TESTS),tests/store) $(ARGS)

S3_SLICE := $(addprefix tests/store/lake/test_lake_,objects.py objects_maintenance.py maintenance.py)
test-lake: $(DEV) $(OLD_DUCKDB)/.stamp   ## the tests of the store on PostgreSQL and DuckLake (tests/store/lake/not_yet.py lists the exceptions)
	STORE=lake PYTHONPATH=$(OLD_DUCKDB) $(BIN)/python -m pytest -n auto --dist loadgroup $(or $(LAKE_TESTS),tests/store) $(ARGS)

test-lake-s3: $(DEV) $(OLD_DUCKDB)/.stamp   ## some of them with the Parquet files in a real object store; all with LAKE_S3_TESTS=tests/store
	STORE=lake LAKE_DATA=s3 PYTHONPATH=$(OLD_DUCKDB) $(BIN)/python -m pytest -n auto --dist loadgroup $(or $(LAKE_S3_TESTS),$(S3_SLICE)) $(ARGS)

RAY := $(VENV)/ray
$(RAY)/.stamp: requirements-ray.lock | $(DEV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --require-hashes \
		--target $(RAY) -r requirements-ray.lock
	touch $@

# Ray starts processes in other folders, so that the paths are absolute.
test-lake-ray: $(DEV) $(OLD_DUCKDB)/.stamp $(RAY)/.stamp   ## workers on a Ray cluster, whose processes and nodes are killed
	STORE=lake RAY_REQUIRED=1 PYTHONPATH=$(CURDIR)/$(OLD_DUCKDB):$(CURDIR)/$(RAY) $(BIN)/python -m pytest tests/store/lake/test_lake_ray.py $(ARGS)

check: $(DEV)            ## what CI checks besides the tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

SITE_TOOLS := $(VENV)/mkdocs
$(SITE_TOOLS)/.stamp: requirements-docs.lock | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --require-hashes \
		--target $(SITE_TOOLS) -r requirements-docs.lock
	touch $@

docs: $(DEV) $(SITE_TOOLS)/.stamp   ## the documentation as a web site in site/; a broken link is an error
	for page in config cli api benchmarks store.backup telemetry; do $(BIN)/python -m monitor.$$page.describe --check || exit 1; done
	$(BIN)/python -m helm.describe --check
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=$(SITE_TOOLS) $(BIN)/python -m mkdocs build --strict

coverage: $(DEV)         ## the suite once more, slower: which lines no test reaches
	$(BIN)/python -m pytest -n auto --dist loadgroup --cov --cov-report=term:skip-covered $(ARGS)

mutants: $(DEV)          ## changes the statistics and alert decisions one by one and asks whether a test notices
	$(BIN)/mutmut run
	$(BIN)/mutmut results

screenshots: $(DEV)      ## the pictures of the dashboard for README and docs, and every page for a review; needs Chromium
	$(BIN)/python -m bench.make_screenshots $(ARGS)

serve: $(RUN)            ## the daemon with your configuration: make serve CONFIG=driftd.yaml
	$(BIN)/driftd serve --config $(or $(CONFIG),driftd.yaml) $(if $(DASHBOARD),--dashboard)

BUILD := $(VENV)/build
$(BUILD)/.stamp: requirements-build.lock | $(BIN)/python
	$(BIN)/python -m venv $(BUILD)
	$(BUILD)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-build.lock
	touch $@

dist: $(BUILD)/.stamp    ## dist/: the sdist, and the wheel that is built from it
	$(BUILD)/bin/python -m build --no-isolation .

sbom: $(BUILD)/.stamp    ## dist/driftd.cdx.json: every package of requirements.lock, as CycloneDX
	mkdir -p dist
	$(BUILD)/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible --of JSON -o dist/driftd.cdx.json

clean:
	rm -rf $(VENV) build dist site .coverage htmlcov .pytest_cache .mypy_cache .ruff_cache

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "driftd needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

$(RUN): requirements.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install $(INSTALL) --require-hashes -r requirements.lock
	$(BIN)/python -m pip install $(INSTALL) --no-build-isolation -e .
	touch $@

$(DEV): requirements-dev.lock $(RUN)
	$(BIN)/python -m pip install $(INSTALL) --require-hashes -r requirements-dev.lock
	touch $@
