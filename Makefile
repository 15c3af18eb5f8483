# make demo   set everything up and watch one instance run, with no key
# make test   install what the tests need and run them (what CI runs)
# make night [PARTS='prove trl']  all tests of every environment and all proofs, with one table in docs/about/night.md; continues where it stopped
# make coverage [ARGS=tests/env]  run the tests and measure which lines and branches they cover, also in other processes (htmlcov/)
# make test-pythons [ARGS=--episode]  run the fast half of the tests on each installed Python, with the oldest and the newest Playwright
# make test-agentlab  run the tests of AgentLab's part, in an environment of its own of several gigabytes (PyTorch, Ray, Gradio)
# make test-attach  let other programs play through the door of an episode: browser-use, Stagehand, MCP servers, Selenium and more
# make attach-table  play each of them and write the table of docs/reference/attach.md
# make compare-pages  play awkward pages under BrowserGym, Playwright MCP, browser-use and this environment, and write docs/about/pages.md
# make test-live [APPS=roundup]  test the live world on real third-party applications, installed into build/apps, each with its database
# make test-rl [RL=trl]  run the tests of the trainers (trl, openenv, verifiers, skyrl, nemo, ray, sb3) and CUBE, each in an environment of its own
# make check  format, lint, layers of the package, types (Python and JavaScript), and the documentation site
# make release  build sdist and wheel, check them, play an episode from the wheel in an empty environment; say what is left to do
# make rules  write extension/secret_rules.js from secret_rules.yaml
# make docs   write the generated tables of docs/
# make docs-site  build the documentation site in build/site; a dead link or a missing name is an error
# make prove [SITE=steam] [PARTS=flows]  prove every task, policy and everyday task in full, and run the long proofs that make test leaves out
# make floor  play the agent random under the policies of every instance, and keep it as a floor of reports (an hour)
# make bench [ARGS=--profile]  measure reset and step beside stock BrowserGym and raw Chromium on this machine
# make soak  measure whether memory, files and processes stay flat over 1,000 resets and 10,000 steps
# make endurance [ARGS='--scale 0.1 kills disk']  play many episodes under kills, crowds, full disks and jumping clocks
# make traces [SITE=steam]  record the traces of all sites, or of one, again
# make records  play the runs of tests/data/records again, which many tests read
# make bench-replay  measure how often recorded elements are found on pages that changed, ours and third-party applications

# Without compiled files each of the hundreds of processes that the tests start compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

VENV ?= .venv
# Make splits names at spaces, so a path with one would be two targets.
ifneq ($(words $(VENV)),1)
$(error VENV="$(VENV)": a path with spaces does not work with make; choose one without)
endif

# The first interpreter that runs, is new enough and can make environments (a pyenv shim may exist and not run).
# BrowserGym can be installed as it is on the first two.
WILL_DO := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$p -c '$(WILL_DO)' 2>/dev/null && echo $$p && break; \
	done)
# Said before anything is made.
PYTHON_WILL_DO = @"$(PYTHON)" -c '$(WILL_DO)' 2>/dev/null || { \
	echo "websp-gym needs Python 3.11 or later with venv$(if $(PYTHON),; $(PYTHON) is not one)." >&2; \
	echo "Install one (Debian, Ubuntu: apt install python3-venv; macOS: brew install python; anywhere: uv python install 3.13)," >&2; \
	echo "or set PYTHON=..." >&2; exit 1; }
BIN := $(VENV)/bin
AGENTLAB := .venv-agentlab
ATTACH := .venv-attach
# Third-party applications that the live world is tested on; the quickest one is part of `make prove` too.
APPS ?=
# Trainers whose adapters are tested, and the harness CUBE.
RL ?= trl openenv verifiers skyrl nemo ray sb3 cube
# Test processes. Browsers keep a process waiting, so there are more than cores.
JOBS ?= $(shell expr $$(nproc) + 2)

.PHONY: help floor demo test night coverage test-pythons test-agentlab test-attach attach-table compare-pages test-live test-rl prove check types lint docs docs-site release rules bench bench-replay soak endurance traces records clean

demo: say-demo $(VENV)/.core .browser
	$(BIN)/websp demo

.PHONY: say-demo
say-demo:
	@test -e $(VENV)/.core || echo "make demo: an environment in $(VENV) (66 packages, 390 MB), and Chromium where there is none; about two minutes"

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

test: $(VENV)/.dev .browser
	@# Compile each file once here; otherwise every test process of the first run would compile it.
	@test -d tests/__pycache__ || $(BIN)/python -m pytest --collect-only -q > /dev/null || true
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --durations=20 $(ARGS)

# What the tests start is measured too; a failed test does not lose the figure. Floods of messages are too much for a
# process that is traced. ARGS="-m ''" measures the proofs as well.
coverage: $(VENV)/.dev .browser
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS) --dist loadfile --deselect tests/browser/test_hostile_pages.py $(ARGS); status=$$?; \
		sleep 10; : the servers of the sandbox end, and write what they ran, after the tests; \
		$(BIN)/coverage combine --quiet && $(BIN)/coverage html --quiet && $(BIN)/coverage report; exit $$status

night: $(VENV)/.dev
	$(BIN)/python -m tests.parts night $(PARTS) $(ARGS)

test-pythons: $(VENV)/.made
	$(BIN)/python tests/pythons.py $(ARGS)

prove: $(VENV)/.dev .browser
	$(BIN)/python -m tests.live_apps.apps roundup
	$(BIN)/python -m tests.parts prove $(PARTS) $(if $(SITE),--site $(SITE)) $(ARGS)

test-agentlab: $(AGENTLAB)/.dev
	@sh tests/install_browser.sh $(AGENTLAB)/bin/python
	$(AGENTLAB)/bin/python -m pytest tests/agentlab $(ARGS)

# Inspect AI and browser-use have an environment each: pip finds no versions that fit both.
test-attach: .programs
	$(ATTACH)/bin/python -m pytest tests/attach_programs/test_programs.py $(ARGS)
	.venv-inspect/bin/python -m pytest tests/attach_programs/test_inspect.py $(ARGS)

attach-table: .programs
	$(ATTACH)/bin/python -m tests.attach_programs.table

compare-pages: $(ATTACH)/.dev build/attach/.programs
	@sh tests/install_browser.sh $(ATTACH)/bin/python
	$(ATTACH)/bin/python -m tests.awkward_pages.table

test-live: $(VENV)/.dev .browser
	$(BIN)/python -m tests.live_apps.apps $(APPS)
	$(BIN)/python -m pytest tests/live_apps -n $(JOBS) --dist worksteal --durations=20 $(ARGS)

test-rl: $(RL:%=test-rl-%)

test-rl-%: .venv-%/.rl
	@sh tests/install_browser.sh .venv-$*/bin/python
	.venv-$*/bin/python -m pytest tests/rl/test_$*.py $(ARGS)

# The types take as long as the rest together.
check: $(VENV)/.dev node_modules/.bin/tsc
	@$(MAKE) --no-print-directory -j2 --output-sync=target types lint docs-site

types: $(VENV)/.dev
	$(BIN)/mypy

lint: $(VENV)/.dev node_modules/.bin/tsc
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	node_modules/.bin/tsc -p tsconfig.json

# Not quietly: MkDocs does not count warnings that it does not print.
docs-site: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs: $(VENV)/.core
	$(BIN)/python docs/layers.py
	$(BIN)/python docs/evidence.py
	$(BIN)/python docs/baselines.py
	$(BIN)/python docs/columns.py
	$(BIN)/python docs/commands.py
	$(BIN)/python docs/site_reference.py
	$(BIN)/python docs/wordings.py

release: $(VENV)/.dev
	$(BIN)/python tests/release.py

rules: $(VENV)/.core
	$(BIN)/python -c 'from websp_gym.replay.importers import secret_texts; secret_texts.write_rules()'

bench: $(VENV)/.dev .browser
	$(BIN)/python -m benchmarks.speed $(ARGS)

soak: $(VENV)/.dev .browser
	$(BIN)/python -m benchmarks.soak --resets 1000 --steps 10 $(ARGS)

endurance: $(VENV)/.dev .browser
	$(BIN)/python -m tests.endurance $(ARGS)

bench-replay: $(VENV)/.dev .browser
	$(BIN)/python -m benchmarks.replay

traces: $(VENV)/.dev .browser
	$(BIN)/python traces/record.py $(SITE)

records: $(VENV)/.dev .browser
	$(BIN)/python -m tests.recorded $(ARGS)

# Only a complete run is kept; started again, it continues.
floor: $(VENV)/.dev .browser
	$(BIN)/websp run --agent random --tasks '*' --policies standard --observation text --initial-state snapshot \
		--max-actions 40 --jobs 2 --out runs/floor --resume
	$(BIN)/python -m tests.floor runs/floor
	$(BIN)/websp run --agent random --tasks '*-stwab-*' --policies hard --observation text --initial-state snapshot \
		--max-actions 40 --jobs 2 --out runs/floor-hard --resume
	$(BIN)/python -m tests.floor runs/floor-hard

# The stamps say what is installed: they are made again when the requirements change.
$(VENV)/.made:
	$(PYTHON_WILL_DO)
	"$(PYTHON)" -m venv $(VENV)
	touch $@

$(VENV)/.core: pyproject.toml $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . -c constraints.txt
	touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.made
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,gemini]' -c constraints.txt
	touch $@ $(VENV)/.core

$(AGENTLAB)/.dev: pyproject.toml constraints.txt
	$(PYTHON_WILL_DO)
	test -x $(AGENTLAB)/bin/python || "$(PYTHON)" -m venv $(AGENTLAB)
	$(AGENTLAB)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,agentlab]' -c constraints.txt
	touch $@

$(ATTACH)/.dev: pyproject.toml constraints.txt tests/attach_programs/requirements.txt
	$(PYTHON_WILL_DO)
	test -x $(ATTACH)/bin/python || "$(PYTHON)" -m venv $(ATTACH)
	$(ATTACH)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[attach,test]' \
		-r tests/attach_programs/requirements.txt -c constraints.txt
	touch $@

.PHONY: .programs
.programs: $(ATTACH)/.dev build/attach/.programs .venv-inspect/.rl
	@sh tests/install_browser.sh $(ATTACH)/bin/python
	@sh tests/attach_programs/chromedriver.sh build/attach

build/attach/.programs: tests/attach_programs/package.json tests/attach_programs/install.sh
	sh tests/attach_programs/install.sh build/attach
	touch $@

# Inspect AI's environment also has the programs for which browser-use's SDKs are too old.
.venv-inspect/.rl: EXTRAS := inspect,gemini
# CUBE and NeMo Gym need Python 3.12, and the BrowserGym that CUBE pins cannot be installed on a later one. Where pyenv
# and uv keep it:
.venv-cube/.rl .venv-nemo/.rl: PYTHON = $(shell \
	for p in python3.12 ~/.pyenv/versions/3.12.*/bin/python ~/.local/share/uv/python/cpython-3.12*/bin/python; do \
	$$p -c '$(WILL_DO)' 2>/dev/null && echo $$p && break; done)
.PRECIOUS: .venv-%/.rl
.venv-%/.rl: pyproject.toml constraints.txt
	$(PYTHON_WILL_DO)
	test -x .venv-$*/bin/python || "$(PYTHON)" -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test,$(or $(EXTRAS),$*)]' -c constraints.txt
	touch $@

.PHONY: .browser
.browser:
	@sh tests/install_browser.sh $(BIN)/python

node_modules/.bin/tsc: package.json
	npm install --no-package-lock --no-audit --no-fund --silent
	touch $@

clean:
	rm -rf $(VENV) .venv-* build dist *.egg-info node_modules
