# Every command of the project. Each makes the virtual environment it needs.

# Another Python, in an environment of its own: make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
FRAMEWORKS := .venv-frameworks
TORCH  ?= torch==2.13.0
TENSORFLOW ?= tensorflow==2.21.0 tf_keras==2.21.0
PADDLE ?= paddlepaddle==3.3.1
JAX    ?= jax==0.10.2 optax==0.2.8 flax==0.12.8 equinox==0.13.8
WATCHED := $(FRAMEWORKS) $(FRAMEWORKS)-tensorflow $(FRAMEWORKS)-paddle $(FRAMEWORKS)-jax
SOURCES_IN_C := $(wildcard src/penstock/*/_*.[ch])
SMOKE  := tests/test_smoke.py tests/test_rooms.py tests/test_messages.py
# What other packages do to us: the tests that their versions can break.
OTHERS := tests/test_smoke.py tests/test_checkpoint.py tests/test_damaged_files.py tests/test_foreign_arrays.py \
          tests/test_copies.py tests/test_recorder.py tests/test_plan.py tests/test_step.py \
          tests/test_libraries.py tests/test_progress.py tests/test_project.py

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test test-light test-frameworks test-oldest test-newest check dist bench docs site clean

help: ## List these commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{ printf "  make %-16s %s\n", $$1, $$2 }'

demo: $(VENV)/.has-demo ## Train on handwritten digits and report who wrote which variable
	$(BIN)/penstock check examples/digits.py

test: $(VENV)/.has-test ## Run every test and every example of the documentation
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder

test-light: ## Run every test without JAX, in .venv-light: NumPy computes all of them
	$(MAKE) VENV=.venv-light .venv-light/.has-light
	.venv-light/bin/python -m pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder

test-frameworks: $(WATCHED:=/.has-light) ## Run the tests of reports on programs in other frameworks
	set -e; for one in $(WATCHED); do $$one/bin/python -m pytest tests/frameworks; done

check: $(VENV)/.has-dev ## Check format, lint and types and run the smoke tests, in seconds
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --quiet --durations=0 --durations-min=1 $(SMOKE)

test-oldest: ## Test with the oldest versions that pyproject.toml admits, in .venv-oldest
	$(MAKE) VENV=.venv-oldest AGE=oldest .venv-oldest/.has-test
	.venv-oldest/bin/python -m pytest --quiet $(OTHERS)

test-newest: ## Test with the newest versions there are, in .venv-newest
	$(MAKE) VENV=.venv-newest .venv-newest/.has-test
	.venv-newest/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager --editable '.[test]'
	.venv-newest/bin/python -m pytest --quiet $(OTHERS)

dist: ## Build the sdist and a wheel in dist, and install each in an environment without a compiler
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python -m pip install --quiet --disable-pip-version-check build
	rm -rf dist
	PENSTOCK_C=required .venv-dist/bin/python -m build --outdir dist .
	for file in dist/*.tar.gz dist/*.whl; do \
		$(PYTHON) -m venv --clear .venv-dist/plain && \
		CC=/bin/false .venv-dist/plain/bin/python -m pip install --quiet --disable-pip-version-check $$file && \
		(cd .venv-dist && plain/bin/penstock doctor && plain/bin/penstock check ../examples/counters.py) || exit 1; \
	done

bench: $(VENV)/.has-demo $(if $(wildcard /dev/nvidia0),$(VENV)/.has-cuda) ## Measure Penstock beside its peers (makes an environment for each)
	$(BIN)/python benchmarks/run.py
	$(BIN)/python tools/write_speed.py

docs: $(VENV)/.has-test ## Run the examples of the README and of the docstrings
	$(BIN)/python -m pytest src tests/test_readme.py

site: $(VENV)/.has-site ## Build the documentation site in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --clean

clean: ## Remove caches and build products; environments stay
	rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests examples benchmarks -name .environments -prune -o -name __pycache__ -type d -exec rm -rf {} + 2>/dev/null || true

# An environment is made once; an extra is installed again only when pyproject.toml or the C file changes.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Penstock needs Python 3.11 or newer, this is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.has-%: pyproject.toml setup.py $(SOURCES_IN_C) $(VENV)/.made
	@echo "Installing penstock[$*] into $(VENV); the first time takes a minute or two."
	$(if $(AGE),$(BIN)/python tools/oldest.py > $(VENV)/oldest.txt)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		$(if $(AGE),--constraint $(VENV)/oldest.txt) --editable '.[$*]'
	@touch $@

# Without Penstock's extras: a report on another framework needs none. One environment for each framework.
$(FRAMEWORKS)/.has-light: FRAMEWORK = $(TORCH)
$(FRAMEWORKS)-tensorflow/.has-light: FRAMEWORK = $(TENSORFLOW)
$(FRAMEWORKS)-paddle/.has-light: FRAMEWORK = $(PADDLE)
$(FRAMEWORKS)-jax/.has-light: FRAMEWORK = $(JAX)
$(WATCHED:=/.has-light): pyproject.toml setup.py $(SOURCES_IN_C)
	@test -d $(@D) || $(PYTHON) -m venv $(@D)
	@echo "Installing $(FRAMEWORK) and penstock[light] into $(@D); the first time takes some minutes."
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $(patsubst %,'%',$(FRAMEWORK)) --editable '.[light]'
	@touch $@
