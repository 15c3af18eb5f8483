# make demo   set everything up and watch one instance run, with no key
# make test   install what the tests need and run them (what CI runs)
# make check  format, lint, types (Python and JavaScript)
# make bench  measure reset and step beside stock BrowserGym on this machine

PYTHON ?= $(shell command -v python3.12 || command -v python3.11 || echo python3)
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= auto

.PHONY: demo test check bench traces clean

demo: $(VENV)/.core .browser
	$(BIN)/websp demo

test: $(VENV)/.dev .browser
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

check: $(VENV)/.dev node_modules/.bin/tsc
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	node_modules/.bin/tsc -p tsconfig.json

bench: $(VENV)/.dev .browser
	$(BIN)/python -m benchmarks.speed

traces: $(VENV)/.dev .browser
	$(BIN)/python traces/record.py

# The stamps say what is installed: remake them when the requirements change.
$(VENV)/.core: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("websp-gym needs Python 3.11 or 3.12; set PYTHON=..." if not (3, 11) <= sys.version_info[:2] <= (3, 12) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . -c constraints.txt
	touch $@

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("websp-gym needs Python 3.11 or 3.12; set PYTHON=..." if not (3, 11) <= sys.version_info[:2] <= (3, 12) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	touch $@ $(VENV)/.core

.PHONY: .browser
.browser:
	@sh tests/install_browser.sh $(BIN)/python

node_modules/.bin/tsc: package.json
	npm install --no-audit --no-fund --silent
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info node_modules
