# Each target makes .venv when it is not there, and again when pyproject.toml or constraints.txt has changed.
PYTHON ?= python3
MODEL ?= stpr
TASK ?= 1
WORKERS ?= $(shell getconf _NPROCESSORS_ONLN)

BIN := .venv/bin
READY := .venv/.ready

.PHONY: env report reports test lab bench gpu-tables

env: $(READY)

$(READY): pyproject.toml constraints.txt
	@echo "Installing into .venv (a minute or two, once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq -c constraints.txt -e '.[tests]'
	@touch $@

report: $(READY)
	@$(BIN)/python -m symshift.reports.run --model $(MODEL) --task $(TASK)

reports: $(READY)
	@$(BIN)/python -m symshift.reports.run

test: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pytest -n 2 --dist loadfile

lab: $(READY)
	@$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks

bench: $(READY)
	@$(BIN)/python -m benchmarks.updates

gpu-tables: $(READY)
	@$(BIN)/python -m symshift.sweeps.run params/sweeps/full.yaml --device cuda --workers $(WORKERS)
