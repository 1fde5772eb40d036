# adjudge: `make demo` and `make test` need nothing but Python 3.11+ and make.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
  if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= auto
REPORTS := demo-reports
TASKS := extraction coref nugget eal kbp
PAGES := build/demo-pages
BROWSER_VENV := .venv-browser
DOCS_VENV := .venv-docs
ABBREVIATIONS := src/adjudge/tasks/nugget

.PHONY: demo test lint unit test-slow test-browser test-browser-with screenshots docs bench bench-coref bench-nugget bench-eal bench-kbp bench-smatch bench-published docs-numbers docs-reference clean

demo: $(VENV)/.installed
	@mkdir -p $(REPORTS)
	@for task in $(filter-out extraction,$(TASKS)); do \
	  $(BIN)/adjudge demo $$task --quiet --report $(REPORTS) -o $(REPORTS)/$$task.txt || exit; done
	@$(BIN)/adjudge demo --report $(REPORTS)
	@echo "Reports to open in a browser (tables of the others are beside them, in .txt):"
	@for task in $(TASKS); do echo "  $(REPORTS)/$$task.html"; done

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

# Needs a Chromium: on the path, or make test-browser CHROMIUM=PATH. BROWSER=optional skips it if there is none.
test-browser:
	@if found="$$(CHROMIUM='$(CHROMIUM)' tests/browser/chromium.sh)"; then \
	  $(MAKE) --no-print-directory test-browser-with CHROMIUM="$$found"; \
	else \
	  echo "$(if $(filter optional,$(BROWSER)),skipped: )no Chromium: install it (apt install chromium) or run: make test-browser CHROMIUM=/path/to/chromium" >&2; \
	  [ "$(BROWSER)" = optional ]; \
	fi

test-browser-with: $(PAGES)/.made $(BROWSER_VENV)/.installed
	$(BROWSER_VENV)/bin/python -m pytest -c tests/browser/pytest.ini tests/browser --chromium "$(CHROMIUM)" --pages $(PAGES)

# make screenshots CHROMIUM=PATH: the pictures of the documentation.
screenshots: $(PAGES)/.made $(BROWSER_VENV)/.installed
	$(BROWSER_VENV)/bin/python tests/browser/screenshots.py --chromium "$$(CHROMIUM='$(CHROMIUM)' tests/browser/chromium.sh)" --pages $(PAGES)

$(PAGES)/.made: $(VENV)/.installed $(shell find src/adjudge -name '*.py' -o -path '*/html/*' -type f -o -path '*/demo/data/*' -type f)
	@mkdir -p $(PAGES)
	@for task in $(TASKS); do \
	  $(BIN)/adjudge demo $$task --quiet --report $(PAGES) --format json -o $(PAGES)/$$task.json || exit; done
	@touch $@

$(BROWSER_VENV)/.installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "adjudge needs Python 3.11 or newer; install it or run: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(BROWSER_VENV)
	$(BROWSER_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "pip>=25.1"
	$(BROWSER_VENV)/bin/python -m pip --quiet install --group browser
	@touch $@

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

# The pages as they are in the project, built with warnings as errors: open build/docs/index.html
docs: $(DOCS_VENV)/.installed
	rm -rf build/docs-source build/docs
	mkdir -p build/docs-source/benchmarks build/docs-source/$(ABBREVIATIONS)
	cp -r README.md CONTRIBUTING.md CHANGELOG.md docs build/docs-source
	cp benchmarks/README.md build/docs-source/benchmarks
	cp $(ABBREVIATIONS)/tokenizer_abbreviations.txt build/docs-source/$(ABBREVIATIONS)
	rm -rf build/docs-source/docs/*.py build/docs-source/docs/__pycache__
	$(DOCS_VENV)/bin/mkdocs build --strict
	@if grep -rlE '<(script|link|img)[^>]*(src|href)="(https?:)?//' build/docs --include='*.html'; then \
	  echo "these pages ask the network for something" >&2; exit 1; fi
	@echo "build/docs/index.html"

$(DOCS_VENV)/.installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "adjudge needs Python 3.11 or newer; install it or run: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(DOCS_VENV)
	$(DOCS_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "pip>=25.1"
	$(DOCS_VENV)/bin/python -m pip --quiet install --group docs
	@touch $@

docs-reference: $(VENV)/.installed
	$(BIN)/python docs/reference.py

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
	rm -rf $(VENV) $(BROWSER_VENV) $(DOCS_VENV) .mypy_cache .ruff_cache .hypothesis .pytest_cache build dist benchmarks/out $(REPORTS)
