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
AXE := build/axe
DOCS_VENV := .venv-docs
RECIPES_VENV := .venv-recipes
DOOR_VENV := .venv-door
DIST_VENV := .venv-dist
MUTATION_VENV := .venv-mutation
FUZZ_VENV := .venv-fuzz
FUZZ_BUDGET = $(if $(COUNT),--count $(COUNT)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(ONLY),--only '$(ONLY)') --seed $(SEED)
SAMPLE ?= 400
SEED ?= 1
BENCH_VENV := .venv-bench
PLAIN_VENV := .venv-plain
BENCHES := $(addprefix bench-,algebra coref nugget eal kbp amr published records engine)
BENCH_OPTIONS = $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY)) $(if $(PROGRAMS),--programs $(PROGRAMS)) \
  $(if $(DATA),--data $(DATA)) $(if $(PYTHON2),--python2 $(PYTHON2))
ABBREVIATIONS := src/adjudge/tasks/nugget

# A new environment in the folder $(1), with a pip that knows groups.
define environment
	@test -n "$(PYTHON)" || { echo "adjudge needs Python 3.11 or newer; install it or run: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(1)
	$(1)/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "pip>=25.1"
endef

.PHONY: demo serve test lint unit fuzz fuzz-readers fuzz-commands test-slow test-faults test-serve test-submissions test-browser test-browser-with screenshots test-recipes test-door docs bench bench-docs $(BENCHES) docs-numbers docs-reference clean dist test-dist test-pythons mutation

demo: $(VENV)/.installed
	@mkdir -p $(REPORTS)
	@for task in $(filter-out extraction,$(TASKS)); do \
	  $(BIN)/adjudge demo $$task --quiet --report $(REPORTS) -o $(REPORTS)/$$task.txt || exit; done
	@$(BIN)/adjudge demo --report $(REPORTS)
	@echo "Reports to open in a browser (tables of the others are beside them, in .txt):"
	@for task in $(TASKS); do echo "  $(REPORTS)/$$task.html"; done

# The workbench with the bundled campaign: prints a link to open; Ctrl-C ends it.
serve: $(VENV)/.serving
	@$(BIN)/adjudge serve demo $(if $(PORT),--port $(PORT))

test: lint unit

lint: $(VENV)/.developer
	$(BIN)/ruff check src tests benchmarks tools fuzz docs/*.py
	$(BIN)/ruff format --check src tests benchmarks tools fuzz docs/*.py
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# One process more than there are processors: some tests wait.
unit: $(VENV)/.developer
	$(BIN)/python -m pytest -n $(if $(filter auto,$(WORKERS)),$$($(BIN)/python -c 'import os; print(1 + (os.cpu_count() or 1))'),$(WORKERS))

# The files of docs/recipes with the newest releases of the libraries that they are for, in an environment of their own.
test-recipes:
	$(call environment,$(RECIPES_VENV))
	$(RECIPES_VENV)/bin/python -m pip --disable-pip-version-check --quiet install -e '.[zst]' pytest inspect_ai evaluate deepeval mlflow-skinny wandb
	DEEPEVAL_TELEMETRY_OPT_OUT=YES $(RECIPES_VENV)/bin/python -m pytest -c /dev/null --noconftest --rootdir tests/recipes -p no:cacheprovider -q -rs tests/recipes

# What people have in memory and on disk as the newest releases of the libraries make it, which "make test" skips.
test-door:
	$(call environment,$(DOOR_VENV))
	$(DOOR_VENV)/bin/python -m pip --disable-pip-version-check --quiet install -e '.[parquet,zst]' --group test \
	  conllu datasets duckdb nervaluate pandas penman polars seqeval spacy
	$(DOOR_VENV)/bin/python -m pytest -n $(WORKERS) -rs tests/golden/test_door.py tests/golden/test_recognise.py \
	  tests/golden/test_dropins.py tests/cli/test_doctor.py tests/formats/test_parquet.py tests/tasks/test_in_memory.py

test-slow: $(VENV)/.developer
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadscope -m slow
	PYTHONPATH=tests $(BIN)/python tests/estimate_simulation.py

# Commands that are killed, or whose disk is full, at random moments: make test-faults COUNT=300 SEED=1
test-faults: $(VENV)/.developer
	PYTHONPATH=tests $(BIN)/python tests/faults/many.py --count $(or $(COUNT),300) --seed $(or $(SEED),1)

# The server in earnest, on each database: 200 servers killed under 20 writers, 50 readers at once, a campaign of 142,000
# responses; a large board, and the findings of a large run. POSTGRES=optional is content with SQLite where there is no PostgreSQL.
test-serve: $(VENV)/.developer
	PYTHONPATH=tests $(BIN)/python tests/serve/kills.py --count $(or $(COUNT),200) --seed $(SEED)
	PYTHONPATH=tests $(BIN)/python tests/serve/readers.py --bars
	PYTHONPATH=tests $(BIN)/python tests/serve/large.py
	PYTHONPATH=tests $(BIN)/python tests/serve/boards.py
	PYTHONPATH=tests $(BIN)/python tests/serve/findings.py
	@if tests/serve/postgres.sh install > /dev/null; then \
	  PYTHONPATH=tests $(BIN)/python tests/serve/kills.py --count $(or $(COUNT),200) --seed $(SEED) --postgres && \
	  PYTHONPATH=tests $(BIN)/python tests/serve/readers.py --bars --postgres && \
	  PYTHONPATH=tests $(BIN)/python tests/serve/large.py --postgres; \
	elif [ "$(POSTGRES)" != optional ]; then exit 1; fi

# Runs of teams whose children fail in every way, on servers that are killed: make test-submissions COUNT=10000 SEED=1
test-submissions: $(VENV)/.developer
	PYTHONPATH=tests $(BIN)/python tests/serve/faults.py --count $(or $(COUNT),10000) --seed $(or $(SEED),1)
	PYTHONPATH=tests $(BIN)/python tests/serve/faults.py --count $(or $(COUNT),10000) --seed $(or $(SEED),1) --postgres

# Installs what it needs: Debian's Chromium if there is none (as root), and Playwright in an environment of its own.
# CHROMIUM=PATH takes another one; BROWSER=optional is content if something cannot be installed, and says so.
test-browser:
	@if found="$$(CHROMIUM='$(CHROMIUM)' tests/browser/chromium.sh install)" \
	  && $(MAKE) --no-print-directory $(BROWSER_VENV)/.installed; then \
	  $(MAKE) --no-print-directory test-browser-with CHROMIUM="$$found"; \
	elif [ "$(BROWSER)" = optional ]; then \
	  echo "skipped: the pages in a browser; what could not be installed is said above"; \
	else \
	  exit 1; \
	fi

test-browser-with: $(PAGES)/.made $(BROWSER_VENV)/.installed $(VENV)/.serving
	@npm install --silent --prefix $(AXE) axe-core || echo "skipped: axe-core, which npm could not install"
	$(BROWSER_VENV)/bin/python -m pytest -c tests/browser/pytest.ini tests/browser -n $(WORKERS) --chromium "$(CHROMIUM)" --pages $(PAGES) --axe $(AXE)/node_modules/axe-core/axe.min.js

# The pictures of the documentation.
screenshots: $(PAGES)/.made $(BROWSER_VENV)/.installed $(VENV)/.serving
	$(BROWSER_VENV)/bin/python tests/browser/screenshots.py --chromium "$$(CHROMIUM='$(CHROMIUM)' tests/browser/chromium.sh install)" --pages $(PAGES)

$(PAGES)/.made: $(VENV)/.installed tests/browser/make_pages.py $(shell find src/adjudge -name '*.py' -o -path '*/report/*' -type f -o -path '*/demo/data/*' -type f)
	$(BIN)/python tests/browser/make_pages.py $(PAGES)
	@touch $@

$(BROWSER_VENV)/.installed: pyproject.toml
	$(call environment,$(BROWSER_VENV))
	$(BROWSER_VENV)/bin/python -m pip --quiet install --group browser
	@touch $@

# Every reader on broken files, then whole commands (fuzz/README.md): make fuzz COUNT=100000 SEED=1, or SECONDS=60. ONLY=tbf,eal:
# some readers. What breaks one is kept as a test. COVERAGE=1: guided by coverage. DIFF=1: fast implementations against obvious ones.
fuzz: fuzz-readers $(if $(DIFF)$(COVERAGE)$(ONLY),,fuzz-commands)

fuzz-readers: $(FUZZ_VENV)/.installed
	@mkdir -p build
	$(FUZZ_VENV)/bin/python -m fuzz $(FUZZ_BUDGET) $(if $(DIFF),--diff,$(if $(COVERAGE),--coverage,--keep --summary build/fuzz.json)) $(FUZZ)

# Whole commands on broken files and on valid ones that are hard to score, with options of all kinds, a clock and a memory limit.
fuzz-commands: $(VENV)/.developer
	$(BIN)/python -m fuzz --commands --known $(if $(COUNT),--count $(COUNT)) $(if $(SECONDS),--seconds $(SECONDS)) --seed $(SEED)

$(FUZZ_VENV)/.installed: pyproject.toml
	$(call environment,$(FUZZ_VENV))
	$(FUZZ_VENV)/bin/python -m pip --quiet install --editable . --group test
	@$(FUZZ_VENV)/bin/python -m pip --quiet install --editable ".[parquet,zst]" || echo "no Parquet or zstd here: those shards are left out"
	@$(FUZZ_VENV)/bin/python -m pip --quiet install --group fuzz || echo "no atheris here: make fuzz COVERAGE=1 has nothing to do"
	@touch $@

# Everything beside everything, in one run (benchmarks/README.md). QUICK=1: five minutes. ONLY=coref,eal/scores: some of it.
# PROGRAMS=FOLDER: official programs that you have. DATA=FOLDER: data sets that you have. PYTHON2=FILE: for old programs.
bench: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python -m benchmarks $(BENCH_OPTIONS) $(BENCH)

# The same, and docs/benchmarks.md is regenerated.
bench-docs: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python -m benchmarks --write-docs $(BENCH_OPTIONS) $(BENCH)

$(BENCHES):
	@$(MAKE) --no-print-directory bench ONLY=$(@:bench-%=%)

$(BENCH_VENV)/.installed: pyproject.toml
	$(call environment,$(BENCH_VENV))
	$(BENCH_VENV)/bin/python -m pip --quiet install --editable ".[cluster,kg]" "duckdb>=1.0" "polars>=1.0" "pydantic>=2.5"
	$(call environment,$(PLAIN_VENV))
	$(PLAIN_VENV)/bin/python -m pip --quiet install --editable .
	@touch $@

# The site: the pages as they are in the project, built with warnings as errors, and checked; open build/docs/index.html
docs: $(DOCS_VENV)/.installed
	rm -rf build/docs-source build/docs
	mkdir -p build/docs-source/benchmarks build/docs-source/$(ABBREVIATIONS)
	cp -r README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs build/docs-source
	cp benchmarks/README.md build/docs-source/benchmarks
	cp $(ABBREVIATIONS)/tokenizer_abbreviations.txt build/docs-source/$(ABBREVIATIONS)
	rm -rf build/docs-source/docs/*.py build/docs-source/docs/__pycache__ build/docs-source/docs/*.ipynb build/docs-source/docs/*.js
	sed -i 's/\(notebook-[a-z]*\)\.ipynb)/\1.md)/g' build/docs-source/docs/*.md
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build --strict 2> build/docs.log || { grep -E 'WARNING|ERROR' build/docs.log; exit 1; }
	$(DOCS_VENV)/bin/python docs/site.py build/docs
	@echo "build/docs/index.html"

$(DOCS_VENV)/.installed: pyproject.toml
	$(call environment,$(DOCS_VENV))
	$(DOCS_VENV)/bin/python -m pip --quiet install --editable ".[serve,postgres,cluster]" --group docs
	@touch $@

docs-reference: $(VENV)/.installed
	$(BIN)/python docs/reference.py

docs-numbers: $(VENV)/.installed
	$(BIN)/python docs/which_number.py

# The wheel and the source distribution, in dist/.
dist: $(DIST_VENV)/.installed
	rm -rf dist
	$(DIST_VENV)/bin/python -m build --outdir dist .
	$(DIST_VENV)/bin/python tools/release/pack.py dist

# Installs the wheel into empty environments on every supported Python that is here, with the oldest and the newest
# dependencies; takes minutes. Interpreters that are not on the path: make test-dist PYTHONS="--python-folder FOLDER"
test-dist: dist
	$(DIST_VENV)/bin/python tools/release/check_dist.py dist $(PYTHONS)

$(DIST_VENV)/.installed: pyproject.toml
	$(call environment,$(DIST_VENV))
	$(DIST_VENV)/bin/python -m pip --quiet install --group dist
	@touch $@

# The same bytes on every supported Python that is here; with TESTS=all the whole suite on each of them.
test-pythons:
	@for python in $$($(PYTHON) tools/pythons.py); do \
	  env=.venv-$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	  echo "$$python ($$env)"; \
	  { test -x $$env/bin/python || $$python -m venv $$env; } && \
	  $$env/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "pip>=25.1" && \
	  $$env/bin/python -m pip --quiet install --group test --editable . && \
	  $$env/bin/python -m pytest -n $(WORKERS) $(if $(filter all,$(TESTS)),,tests/determinism) || exit; done

# How many small faults the tests notice: make mutation SAMPLE=400 SEED=1; needs Python 3.12 or newer, and an hour.
mutation: $(MUTATION_VENV)/.installed
	$(MUTATION_VENV)/bin/python tools/mutation/run.py --fresh --sample $(SAMPLE) --seed $(SEED)

$(MUTATION_VENV)/.installed: pyproject.toml
	@python="$$($(PYTHON) tools/pythons.py | tail -1)"; \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || { echo "make mutation needs Python 3.12 or newer" >&2; exit 1; }; \
	"$$python" -m venv $(MUTATION_VENV)
	$(MUTATION_VENV)/bin/python -m pip --disable-pip-version-check --quiet install --upgrade "pip>=25.1"
	$(MUTATION_VENV)/bin/python -m pip --quiet install --group test --editable .
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "adjudge needs Python 3.11 or newer; install it or run: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(PIP) install --editable .
	@touch $@

$(VENV)/.serving: $(VENV)/.installed
	$(PIP) install --editable ".[serve]"
	@touch $@

$(VENV)/.developer: $(VENV)/.installed
	$(PIP) install --upgrade "pip>=25.1"
	$(PIP) install --editable ".[serve,postgres,kg]" --group test --group lint
	@touch $@

clean:
	rm -rf $(VENV) $(FUZZ_VENV) $(BROWSER_VENV) $(DOCS_VENV) $(BENCH_VENV) $(PLAIN_VENV) $(DIST_VENV) $(MUTATION_VENV) .venv-3.* .mypy_cache .ruff_cache .hypothesis .pytest_cache build dist benchmarks/out $(REPORTS)
