# Each target makes .venv when it is not there, and again when pyproject.toml or constraints.txt has changed.
PYTHON ?= python3
MODEL ?= stpr
TASK ?= 1
SECONDS ?= 600
WORKERS ?= $(shell getconf _NPROCESSORS_ONLN)

BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help env test torture format report reports lab docs bench gpu-tables clean

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

env: $(READY) ## install everything into .venv

$(READY): pyproject.toml constraints.txt
	@echo "Installing into .venv (a minute or two, once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq -c constraints.txt -e '.[tests]'
	@touch $@

# two workers fill two cores, so each has one thread: threads that wait for a core spin
test: $(READY) ## lint, tests, types among them, and every notebook run again
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder --durations 10

torture: $(READY) ## for SECONDS (600) kill trainings, fill disks and damage files
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.torture $(SECONDS)

format: $(READY) ## sort imports and lay out the code
	@$(BIN)/ruff check --fix --select I .
	@$(BIN)/ruff format .

report: $(READY) ## train MODEL (stpr) on TASK (1) and write a page about it
	@$(BIN)/python -m symshift.reports.run --model $(MODEL) --task $(TASK)

reports: $(READY) ## make a page of every notebook
	@$(BIN)/python -m symshift.reports.run

lab: $(READY) ## open the notebooks in JupyterLab
	@$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks

docs: $(READY) ## build the site of docs/ into docs/_build/html
	@$(BIN)/sphinx-build -q -W --keep-going -n docs docs/_build/html
	@echo "The site: docs/_build/html/index.html"

bench: $(READY) ## measure the speed of updates, or with AGAINST=REVISION compare it with that of another revision
	@$(BIN)/python -m $(if $(AGAINST),benchmarks.against $(AGAINST),benchmarks.updates)

gpu-tables: $(READY) ## train the papers' tables in full on a GPU
	@$(BIN)/python -m symshift.sweeps.run params/sweeps/full.yaml --device cuda --workers $(WORKERS)

clean: ## remove caches of tests and tools; runs, reports and .venv stay
	@rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis
	@find lib tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
