# Each target sets up what it needs: a virtual environment in .venv, filled from hashed lock files.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
MODEL := hatch_build.py src/bethink/models/recipe.py $(wildcard build_model/*.py)

.PHONY: help demo test lint format bench docs lock clean

help:
	@echo "make demo    see Bethink work on the text in this repository"
	@echo "make test    run the tests"
	@echo "make lint    check style, types and the generated reference"
	@echo "make bench   measure quality and speed: the quick set"
	@echo "make docs    write the generated reference"
	@echo "make format  format the code"
	@echo "make lock    resolve the lock files anew (needs uv)"
	@echo "make clean   remove everything that make has made"

demo: .venv/.runtime
	@$(BIN)/bethink demo

test: .venv/.dev
	$(BIN)/python -m pytest

lint: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict src
	$(BIN)/python -m bethink.surfaces.reference --check

format: .venv/.dev
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: .venv/.dev
	$(BIN)/python -m bench quick

docs: .venv/.dev
	$(BIN)/python -m bethink.surfaces.reference

.venv/.runtime: requirements/base.lock pyproject.toml $(MODEL)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Bethink needs Python 3.11 or later: make PYTHON=...")'
	@echo "Setting up .venv (once; it downloads the packages and the embedded model)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) install --require-hashes --requirement requirements/base.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: .venv/.runtime requirements/dev.lock
	@$(PIP) install --require-hashes --requirement requirements/dev.lock
	@touch $@

COMPILE := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-annotate --custom-compile-command "make lock" --quiet

lock:
	$(COMPILE) --group build --output-file requirements/base.lock
	$(COMPILE) --group build --group dev --constraint requirements/base.lock --output-file requirements/dev.lock

clean:
	rm -rf .venv dist src/bethink/models/minilm .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -r {} +
