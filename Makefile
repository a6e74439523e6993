SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help example test e2e e2e-scaling check schemas golden bench image lock clean

BIN := .venv/bin
# More arguments for the program that a target runs: make test ARGS="-x -k place"
ARGS ?=

NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
# The first that is new enough: python3 is often the distribution's old one.
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$candidate -c '$(NEW_ENOUGH)' 2>/dev/null; then echo $$candidate; break; fi; done)

# What the end-to-end tests run; what Argo CD and what scales needs can be built by name too.
E2E_TOOLS ?= actionlint argocd etcd kube-apiserver kube-controller-manager kube-scheduler kwok dra-oracle crds envoy envoy-gateway epp

# What scales takes long to build, so it is run by hand.
SCALING_TOOLS := etcd kube-apiserver kube-controller-manager kube-scheduler kwok crds lws keda-operator keda-adapter

IMAGE ?= modelfleet-plugin
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

example: .venv/.ready ## check the example repository, write its manifests to build/example and list them
	@rm -rf build/example
	$(BIN)/modelfleet --repo fleet-repo-example check
	$(BIN)/modelfleet --repo fleet-repo-example generate -o build/example
	@echo
	@echo 'Written to build/example, a folder for each cluster and in it one for each Argo CD Application; root is for Argo CD itself:'
	@cd build/example && find . -name '*.yaml' | sed 's,^\./,,; s,/[^/]*$$,,' | sort | uniq -c | awk '{ printf "  %-60s %3d files\n", $$2, $$1 }'

test: .venv/.ready ## run the tests that need Python alone
	$(BIN)/pytest -n auto -m 'not e2e' $(ARGS)

e2e: .venv/.ready ## build real Kubernetes programs from source (once, some minutes) and run the tests that need them
	@tools=$$($(BIN)/python -m tests.e2e.build $(E2E_TOOLS)) && MODELFLEET_TOOLS=$$tools $(BIN)/pytest -m e2e tests/e2e $(ARGS)

e2e-scaling: .venv/.ready ## build the controllers that scale (once, long) and watch them scale a Deployment and a gang
	@tools=$$($(BIN)/python -m tests.e2e.build $(SCALING_TOOLS)) && MODELFLEET_TOOLS=$$tools $(BIN)/pytest -m scaling tests/e2e $(ARGS)

check: .venv/.ready ## run the linter and the type checker
	$(BIN)/ruff check
	$(BIN)/mypy

schemas: .venv/.ready ## write the JSON Schemas of all kinds to schemas/
	$(BIN)/modelfleet schemas -o schemas

golden: .venv/.ready ## rewrite the expected outputs beside the tests with what comes out now
	MODELFLEET_GOLDEN=write $(BIN)/pytest tests/golden tests/render/test_golden.py tests/test_crossfile.py tests/story $(ARGS)

bench: .venv/.ready ## measure times and print them
	$(BIN)/python -m benchmarks $(ARGS)

image: ## build the plugin's image with buildah, podman or docker
	@builder=$$(command -v buildah || command -v podman || command -v docker || true); \
	if [ -z "$$builder" ]; then echo 'make image needs buildah, podman or docker' >&2; exit 1; fi; \
	set -x; "$$builder" build -f plugin/Dockerfile -t $(IMAGE) $(ARGS) .

lock: ## pin the dependencies of pyproject.toml in requirements/ (newest: ARGS=--upgrade)
	@command -v uv >/dev/null || { echo 'make lock needs uv: pip install uv' >&2; exit 1; }
	$(LOCK) $(ARGS) pyproject.toml -o requirements/runtime.txt
	$(LOCK) $(ARGS) pyproject.toml --group dev -o requirements/dev.txt

clean: ## remove everything that was made here; the cache of the end-to-end tools stays
	rm -rf .venv build dist .coverage .coverage.* .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.ready: requirements/dev.txt pyproject.toml
	@if [ -z '$(PYTHON)' ] || ! $(PYTHON) -c '$(NEW_ENOUGH)'; then \
	echo 'modelfleet needs Python 3.11 or later; install it, or name one: make PYTHON=/path/to/python' >&2; exit 1; fi
	$(PYTHON) -m venv .venv
	$(BIN)/pip --quiet --disable-pip-version-check install --require-hashes -r requirements/dev.txt
	$(BIN)/pip --quiet --disable-pip-version-check install --no-deps --no-build-isolation -e .
	@touch $@
