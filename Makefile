# adjudge: `make demo` and `make test` need nothing but Python 3.11+ and make.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
  if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= auto
REPORTS := demo-reports

.PHONY: demo test lint unit test-slow bench bench-coref bench-nugget bench-eal bench-kbp bench-smatch bench-published docs-numbers clean

demo: $(VENV)/.installed
	@mkdir -p $(REPORTS)
	@for task in coref nugget eal kbp; do \
	  $(BIN)/adjudge demo $$task --quiet --report $(REPORTS) -o $(REPORTS)/$$task.txt || exit; done
	@$(BIN)/adjudge demo --report $(REPORTS)
	@echo "Reports to open in a browser (tables of the others are beside them, in .txt):"
	@for task in extraction coref nugget eal kbp; do echo "  $(REPORTS)/$$task.html"; done

test: lint unit

lint: $(VENV)/.developer
	$(BIN)/ruff check src tests benchmarks docs/*.py
	$(BIN)/ruff format --check src tests benchmarks docs/*.py
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

unit: $(VENV)/.developer
	$(BIN)/python -m pytest -n $(WORKERS)

test-slow: $(VENV)/.developer
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope -m slow

bench: $(VENV)/.installed
	$(BIN)/python benchmarks/run.py $(BENCH)

bench-coref: $(VENV)/.installed
	$(BIN)/python benchmarks/coref.py $(BENCH)

bench-nugget: $(VENV)/.installed
	$(BIN)/python benchmarks/nugget.py $(BENCH)

bench-eal: $(VENV)/.installed
	$(BIN)/python benchmarks/eal.py $(BENCH)

bench-kbp: $(VENV)/.installed
	$(PIP) install --editable ".[duckdb]"
	$(BIN)/python benchmarks/kbp.py $(BENCH)

# Needs a folder of graphs: make bench-smatch BENCH=FOLDER
bench-smatch: $(VENV)/.installed
	$(BIN)/python benchmarks/smatch.py $(BENCH)

# Programs that are no packages are named: make bench-published BENCH="--program conlleval=conlleval.pl"
bench-published: $(VENV)/.installed
	$(BIN)/python benchmarks/published.py $(BENCH)

docs-numbers: $(VENV)/.installed
	$(BIN)/python docs/which_number.py

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "adjudge needs Python 3.11 or newer; install it or run: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(PIP) install --editable .
	@touch $@

$(VENV)/.developer: $(VENV)/.installed
	$(PIP) install --upgrade "pip>=25.1"
	$(PIP) install --group test --group lint
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .hypothesis .pytest_cache build dist benchmarks/out $(REPORTS)
