# Every path is relative and the tools run as modules of .venv, so a checkout may live in a path with spaces.
# Everything made here goes to .venv, build, dist and .data.

.DEFAULT_GOAL := help
.NOTPARALLEL:  # the environment comes before what uses it, under -j too
.PHONY: help run test bench tour docs package lint lock clean environment environment-with-model checks

PYTHON ?= python3
VENV_PYTHON := .venv/bin/python
LOCK := packaging/requirements.lock
PACKAGE_LOCK := packaging/package.lock

# import-linter has no `python -m`; this is what its script does.
LINT_IMPORTS := from importlinter.cli import lint_imports_command; lint_imports_command()

HAS_DISPLAY := $(DISPLAY)$(WAYLAND_DISPLAY)$(filter Darwin,$(shell uname -s))

NEXT := "" "There is no display, so this was a list of the sample; a window opens where there is one. Go on with" \
	'  $(VENV_PYTHON) -m inspector --sample recall "why do migrations hang?" --explain' \
	"  $(VENV_PYTHON) -m inspector --help"

export HYPOTHESIS_STORAGE_DIRECTORY := build/hypothesis

help:  ## List these commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r name does; do printf '%-12s %s\n' "$$name" "$$does"; done

run: environment  ## Open the sample memory; installs what is missing first
	@# A list where there is no display. The data stays in the checkout, so that nothing outside is touched.
	@MEMORY_INSPECTOR_HOME=.data $(VENV_PYTHON) -m inspector --sample $(if $(HAS_DISPLAY),,list --limit 10)
	@$(if $(HAS_DISPLAY),:,printf '%s\n' $(NEXT))

test: environment-with-model checks  ## Lint, then run every test (ARGS="-k word" for some)
	@mkdir -p build
	@# Module by module, on as many cores as there are up to four: some tests start several processes themselves.
	@$(VENV_PYTHON) -m pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile \
		--basetemp=build/tests -o cache_dir=build/pytest $(ARGS)

bench: environment  ## Measure (tables in Markdown; ARGS="--size 10k --only recall,peers" for some)
	@$(VENV_PYTHON) -m tests.benchmarks $(ARGS)

tour: environment  ## Save a picture of every view, in both themes, in build/tour
	@MEMORY_INSPECTOR_HOME=build/tour-home $(VENV_PYTHON) -m inspector --tour build/tour

docs: environment  ## Write the generated tables of the manual: commands and tools
	@$(VENV_PYTHON) packaging/docs.py

package:  ## Build the wheel, the bundle that needs no Python and the .deb into dist, each tried out (ARGS=wheel for one)
	@$(PYTHON) packaging/package.py $(ARGS)

lint: environment checks  ## Check style, types and the import contracts

lock:  ## Write both locks again after a change of pyproject.toml (ARGS=--upgrade for newer versions)
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check --upgrade uv
	@build/lock/bin/python -m uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
		--extra dev --custom-compile-command "make lock" --output-file $(LOCK) $(ARGS) pyproject.toml
	@build/lock/bin/python -m uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
		--no-annotate --constraint $(LOCK) --extra package --custom-compile-command "make lock" \
		--output-file $(PACKAGE_LOCK) $(ARGS) pyproject.toml
	@echo "Wrote $(LOCK) and $(PACKAGE_LOCK)."

clean:  ## Remove .venv, build and dist; the memories in .data stay
	@rm -rf .venv build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

environment:
	@$(PYTHON) packaging/environment.py

environment-with-model:
	@$(PYTHON) packaging/environment.py --require-model

checks:
	@$(VENV_PYTHON) -m ruff check --cache-dir build/ruff .
	@$(VENV_PYTHON) -m ruff format --check --cache-dir build/ruff .
	@$(VENV_PYTHON) -m mypy --cache-dir build/mypy
	@$(VENV_PYTHON) -c "$(LINT_IMPORTS)" --no-logo --cache-dir build/import-linter
