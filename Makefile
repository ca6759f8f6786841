# Each target sets up what it needs in a virtual environment, .venv: the package; with it what ring 1 needs; or everything.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
USER_READY := $(VENV)/.user-ready
TEST_READY := $(VENV)/.test-ready
READY := $(VENV)/.ready
PIP := $(RUN)/python -m pip --disable-pip-version-check
# pytest stores the asserts that it has rewritten, so that the next run collects the tests in a third of the time.
PYTEST := PYTHONDONTWRITEBYTECODE= $(RUN)/python -m pytest
# A process for each processor; a file stays in one process, and the longest files come first (tests/conftest.py).
PARALLEL := -n logical --maxprocesses 8 --dist loadfile --no-loadscope-reorder
PUBLIC := perfect_yatzy perfect_yatzy.frames perfect_yatzy.rl perfect_yatzy.play.record perfect_yatzy.play.review perfect_yatzy.play.rating

.PHONY: help demo test test-all test-full test-slow test-lowest campaign mutants coverage check lint typecheck docs lock messages readmes package bench bench-big bench-beyond bench-approximate bench-environments bench-agents bench-cluster bench-roofline bench-exact bench-queries bench-series bench-web bench-load bench-prices tables verify clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	@# In CI all packages are those of the lock file; then nothing is left to install below but this one.
	$(if $(CI),$(PIP) install --quiet --require-hashes --requirement .ci/requirements.txt)

$(USER_READY): $(VENV)/bin/python pyproject.toml $(wildcard solver/perfect_yatzy/locale/*/LC_MESSAGES/*.po)
	$(PIP) install --quiet --editable .
	$(RUN)/python -m compileall -q solver  # as pip does for what it copies: commands start in three quarters of the time
	@touch $@

$(TEST_READY): $(USER_READY)
	$(PIP) install --quiet 'pip>=25.1'  # the first that knows groups
	$(PIP) install --quiet 'perfect-yatzy[rl,web]' --group test
	-$(PYTEST) --collect-only -qq >/dev/null  # stores the rewritten asserts, once for all processes of the first run
	@touch $@

$(READY): $(TEST_READY)
	$(PIP) install --quiet 'perfect-yatzy[cluster,data,mcp,plot]' --group dev
	@touch $@

demo: $(USER_READY) ## a real question, answered: what to hold of 3 3 4 5 6
	$(RUN)/yatzy hold 33456
	$(RUN)/yatzy hold 33456 --rolls-left 1 --card "ones=3 sixes=24 chance=22"

test: $(TEST_READY) ## ring 1, the proof of the core: about 6 minutes on two processors, the first time
	$(PYTEST) $(PARALLEL)

test-full: $(READY) ## ring 2 alone, everything else that is not minutes or gigabytes
	$(PYTEST) --ring 2 -m full $(PARALLEL)

test-all: $(READY) ## rings 1 and 2: about 40 minutes
	$(PYTEST) --ring 2 $(PARALLEL)

test-slow: $(READY) ## all three rings: an hour and several gigabytes
	$(PYTEST) --ring 3

test-lowest: ## the tests with the lowest versions that pyproject.toml allows
	PYTHON=$(PYTHON) .ci/lowest

campaign: $(READY) ## faults, mutated files, fuzzed input: minutes; make campaign SEED=7 for other cases
	PYTHONPATH=tests $(RUN)/python -m benchmarks.campaign $(if $(SEED),--seed $(SEED))

mutants: $(READY) ## planted bugs that tests should catch: hours; make mutants MUTANTS="--seed 7 --count 20 --ring 2"
	$(RUN)/python -m benchmarks.mutants $(MUTANTS)

coverage: $(READY) ## rings 1 and 2, with the branch coverage of the Python code
	PYTEST_ADDOPTS="--cov --cov-report= --cov-fail-under=0" $(MAKE) test
	PYTEST_ADDOPTS="--cov --cov-append --cov-fail-under=96" $(MAKE) test-full

lint: $(READY) ## ruff: style and format
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

check: lint typecheck test ## what a change must pass before it is sent

typecheck: $(READY) ## mypy, strict on the package
	$(RUN)/mypy

docs: $(READY) ## guides, tutorial and API reference as a site in build/docs; a warning is an error
	$(RUN)/python .ci/site.py $(PUBLIC)

lock: $(VENV)/bin/python ## the versions and hashes of all packages that CI and the release job install, in .ci/requirements.txt
	$(PIP) install --quiet uv
	$(RUN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --python-version 3.11 \
	    --all-extras --group dev --group release --custom-compile-command "make lock" --output-file .ci/requirements.txt pyproject.toml

messages: $(READY) ## extract the words that people see, update and compile the catalogues
	$(RUN)/python .ci/messages.py

readmes: $(READY) ## write the current output of every command shown in a README
	$(RUN)/python .ci/documents.py

package: $(READY) ## source distribution and wheel in dist, checked; some tests run from the unpacked source
	.ci/package $(RUN)/python

bench: $(READY) ## times, each answer asserted first; a dated record in benchmarks/runs
	$(RUN)/python -m benchmarks

bench-big: $(READY) ## the games that take minutes and gigabytes
	$(RUN)/python -m benchmarks.big

bench-beyond: $(READY) ## distributions, goals, wins, simulation
	$(RUN)/python -m benchmarks.beyond

bench-approximate: $(READY) ## games too large to solve
	$(RUN)/python -m benchmarks.approximate

bench-environments: $(READY) ## steps a second of the environments for reinforcement learning
	$(RUN)/python -m benchmarks.environments

bench-agents: $(READY) ## what players are worth, from random to perfect, exactly
	$(RUN)/python -m benchmarks.agents

bench-cluster: $(READY) ## the same solve by threads and by worker processes
	$(RUN)/python -m benchmarks.cluster

bench-roofline: $(READY) ## cycles of each kernel of the turn, and the share of what the processor can do
	$(RUN)/python -m benchmarks.roofline

bench-exact: $(READY) ## proofs in exact integers, beside a C++ program of the same recursion
	$(RUN)/python -m benchmarks.exact

bench-queries: $(READY) ## single questions in process, in turn with another program
	$(RUN)/python -m benchmarks.queries

bench-series: $(READY) ## append a line to benchmarks/runs/series.tsv: a solve, relative to a fixed C program
	$(RUN)/python -m benchmarks.series

bench-web: $(READY) ## queries a second of the local page's server
	$(RUN)/python -m benchmarks.web

bench-load: $(READY) ## 64 connections with requests of every kind: none waits too long
	$(RUN)/python -m benchmarks.load

bench-prices: $(READY) ## prices of simulated players, found again by their games
	$(RUN)/python -m benchmarks.prices

tables: $(READY) ## write the readable strategy tables and checksums in tables/ anew
	$(RUN)/python -m tables.build

verify: $(USER_READY) ## checksum, equation, published value and a simulation of Yatzy's table
	$(RUN)/yatzy solve yatzy
	$(RUN)/yatzy tables --verify yatzy --games 100000

clean: ## remove the virtual environment, solved tables and caches
	rm -rf $(VENV) build dist solver/*.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache .coverage .coverage.*
	rm -rf tables/*.np[yz] tables/*-*.json tables/*.shards tables/*.part* tables/.*.np[yz].* tables/.*.json.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
