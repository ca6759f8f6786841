# Each target sets up what it needs: a virtual environment in .venv with the package and the developers' tools.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
READY := $(VENV)/.ready
USER_READY := $(VENV)/.user-ready

.PHONY: help demo test test-slow lint typecheck bench bench-big bench-beyond bench-web tables verify clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(USER_READY): $(VENV)/bin/python pyproject.toml
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(READY): $(USER_READY)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

demo: $(USER_READY) ## a real question, answered: what to hold of 3 3 4 5 6
	$(RUN)/yatzy hold 33456
	$(RUN)/yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24 chance=22"

test: $(READY) ## the tests, in a few minutes
	$(RUN)/python -m pytest -m "not slow"

test-slow: $(READY) ## the long ones too
	$(RUN)/python -m pytest

lint: $(READY) ## ruff: style and format
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

typecheck: $(READY) ## mypy, strict on the package
	$(RUN)/mypy

bench: $(READY) ## times, each answer asserted first; a dated record in benchmarks/runs
	$(RUN)/python -m benchmarks

bench-big: $(READY) ## the games that take minutes and gigabytes
	$(RUN)/python -m benchmarks.big

bench-beyond: $(READY) ## distributions, goals, wins, simulation
	$(RUN)/python -m benchmarks.beyond

bench-web: $(READY) ## queries a second of the local page's server
	$(RUN)/python -m benchmarks.web

tables: $(READY) ## write the readable strategy tables and checksums in tables/ anew
	$(RUN)/python -m tables.build

verify: $(USER_READY) ## checksum, equation, published value and a simulation of Yatzy's table
	$(RUN)/yatzy solve yatzy
	$(RUN)/yatzy verify yatzy --games 100000

clean: ## remove the virtual environment, solved tables and caches
	rm -rf $(VENV) build *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	rm -f tables/*.npy tables/*-mean-*.json tables/*-goals-*.json tables/*-variance-*.json tables/*-bonus-*.json tables/*-distribution-*.json tables/*.part* tables/.*.npy.* tables/.*.json.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
