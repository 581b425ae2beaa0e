# Two commands work on a fresh machine with Node 20+, npm and make: `make demo` and `make test`. Either may come first.

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check current build generate bench conformance field fuzz mutation mutation-host soak rehearsal hosts agents test-opa bless clean lint startup large edited
MAKEFLAGS += --no-print-directory

VITEST := npx vitest run --config test/vitest.config.ts
PORTCULLIS := node compiler/bin/portcullis.js
# All that generated/ holds, into the folder $(1).
GENERATE = $(PORTCULLIS) build policies -o $(1) --strict && npx tsx compiler/build/reference/index.ts $(1)/reference && node compiler/build/api-reports.mjs $(1)/reference/api
# Every source that the build reads: the stamp is as old as the newest of them when it was made.
SOURCES := $(shell find runtime compiler -type f \( -name '*.ts' -o -name '*.mjs' -o -name '*.json' -o -name '*.rego' \) -not -path '*/node_modules/*' -not -path '*/dist/*' -not -name '*.embedded.ts')
# The release of OPA that decides what is right.
OPA_VERSION := 1.22.2
BUILD_STAMP := compiler/dist/.built
# What the build makes, and what of it is not as the build left it: a file that is newer than the stamp was edited, a folder
# that is newer has lost one. `npm pack` writes declarations into two folders.
DIST := runtime/dist runtime/agents/dist runtime/builtins/dist runtime/redis/dist compiler/rego/dist compiler/dist
EDITED := $(filter-out $(wildcard $(DIST)),$(DIST)) $(if $(wildcard $(BUILD_STAMP)),$(shell find $(wildcard $(DIST)) -newer $(BUILD_STAMP) -not -path '*/dist/lib*' -not -path 'compiler/dist/cjs*'),$(BUILD_STAMP))
INSTALL_STAMP := node_modules/.installed

help: ## list the targets; CONTRIBUTING.md has what they take
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F'\t' '{printf "  make %-13s %s\n", $$1, $$2}'

$(INSTALL_STAMP): package-lock.json $(shell find package.json runtime compiler -name package.json -not -path '*/node_modules/*' -not -path '*/dist/*')
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(BUILD_STAMP): $(INSTALL_STAMP) $(SOURCES) $(if $(strip $(EDITED)),edited)
	$(if $(strip $(EDITED)),@rm -rf $(DIST))
	node compiler/build/compile-rtlib.mjs
	node compiler/build/embed-library.mjs
	node compiler/build/embed-schemas.mjs
	npx tsx compiler/build/answers.ts runtime/governance
	npx tsc -b runtime runtime/agents runtime/builtins runtime/redis compiler/rego --noCheck
	node compiler/build/commonjs.mjs runtime runtime/agents runtime/builtins runtime/redis compiler/rego
	node compiler/build/bundle.mjs
	@touch $@

edited:

build: $(BUILD_STAMP) ## install what is needed and build the packages

demo: build ## compile policies/ and print decisions, allow and deny
	@mkdir -p out
	$(PORTCULLIS) build policies -o out/demo
	npx tsx bench/demo.ts out/demo/bundle.tar.gz policies

test: build ## run every suite, with a part of each campaign: 20 to 30 minutes on 2 cores
	$(VITEST)

test-all: build ## run every suite, with campaigns and exhaustive spaces whole (OPA=1)
	$(if $(OPA),@.ci/opa-version "$(OPA_VERSION)")
	PORTCULLIS_CAMPAIGN=full $(if $(OPA),PORTCULLIS_OPA=too )$(VITEST)

lint: build ## type-check and lint everything, and find exports that nothing uses
	npx tsc --noEmit -p . --incremental --tsBuildInfoFile out/lint.tsbuildinfo
	npx biome check --config-path=.ci runtime compiler bench test
	npx knip --config .ci/knip.json --no-progress

generate: build ## compile policies/ into generated/, and write the reference pages
	@rm -rf generated/reference
	$(call GENERATE,generated)
	npx tsx compiler/build/reference/enforcement.ts compiler/ENFORCEMENT.md

check: build lint current ## lint, hold the import rules and weights, and prove that generated/ is current
	$(VITEST) test/architecture test/packages test/runtime/size.test.ts

current: build
	@rm -rf out/generated && $(call GENERATE,out/generated)
	@diff -r out/generated generated && echo "generated/ is current"

conformance: build ## run the case files of OPA, regorus and rego-cpp (DIR= SUITES=)
	npm run --silent conformance -- $(DIR)

field: build ## public repositories through opa and portcullis (needs opa; DIR=)
	@.ci/opa-version "$(OPA_VERSION)"
	npx tsx test/field/run.ts $(DIR)

test-opa: build ## the suites against a real opa (needs `opa` on the PATH)
	@.ci/opa-version "$(OPA_VERSION)"
	PORTCULLIS_OPA=1 PORTCULLIS_CAMPAIGN=full $(VITEST) test/library test/opa

mutation: build ## change every gate of the library; each mutant must be caught (FILE= SHARE=)
	npx tsx test/mutation/run.ts "$(FILE)" $(SHARE)

mutation-host: build ## change every condition of the host's side, a second each (FILE= SHARE=)
	$(if $(FILE),,npx tsx test/mutation/host/guards.ts)
	npx tsx test/mutation/host/run.ts "$(FILE)" $(SHARE)

hosts: build ## ask the same on Node, Bun, Deno, workerd and Chromium (HOST=)
	npx tsx test/hosts/run.ts --write $(if $(HOST),"$(HOST)")

agents: build ## hold real agent programs, MCP servers and SDKs to a policy
	npx tsx test/agent-hosts/run.ts --write
	npx tsx test/mcp-conformance/run.ts --write
	npx tsx test/mcp-conformance/servers.ts --write
	npx tsx test/agent-sdks/run.ts --write
	$(VITEST) test/agent-sdks

fuzz: build ## long differential fuzzing (RUNS= SEED= JOBS= WITH= ARGS=)
ifeq ($(WITH),git)
	PORTCULLIS_GIT_FOLDERS=$(or $(RUNS),5000) $(if $(SEED),PORTCULLIS_SEED=$(SEED) )$(VITEST) test/enforcement/execution/git-folders.test.ts
else ifeq ($(WITH),redis)
	PORTCULLIS_HISTORY_CALLS=$(or $(RUNS),100000) $(if $(SEED),PORTCULLIS_SEED=$(SEED) )$(VITEST) test/runtime/redis/processes.test.ts
else ifeq ($(WITH),files)
	PORTCULLIS_HISTORY_CALLS=$(or $(RUNS),5000) $(if $(SEED),PORTCULLIS_SEED=$(SEED) )$(VITEST) test/runtime/history/kills.test.ts
else ifeq ($(WITH),z3)
	PORTCULLIS_CLAIMED=$(or $(RUNS),125) PORTCULLIS_CAMPAIGN=full $(VITEST) test/governance/review/symbolic.test.ts test/governance/review/library
else
	@node test/differential/bundle.mjs
	@node out/fuzz/run.mjs --runs "$(RUNS)" --seed "$(SEED)" --jobs "$(JOBS)" --with "$(WITH)" $(ARGS)
endif

soak: build ## decide for ten minutes while the bundle is replaced (SECONDS=)
	SECONDS=$(or $(SECONDS),600) npx tsx --expose-gc test/runtime/operate/soak.ts

rehearsal: build ## run a fleet of fifty processes through roll-outs and outages (SIZE=)
	PORTCULLIS_FLEET=$(or $(SIZE),50) $(VITEST) test/rehearsal

bench: build ## measure every decision beside its alternatives (ARGS=)
	npx tsx --tsconfig bench/tsconfig.json bench/run.ts $(ARGS)

startup: build ## measure how long the command line takes, and a hook beside an empty program
	npx tsx bench/hook-cost.ts
	npx tsx bench/startup.ts

large: build ## measure how long 20,000 rules take to build, beside opa
	npx tsx bench/large-build.ts

bless: build ## rewrite golden files; read the diff
	$(VITEST) -u

clean: ## remove everything that is made
	rm -rf $(DIST) out coverage compiler/rego/wasm/rtlib.embedded.ts compiler/governance/library/library.embedded.ts compiler/governance/sources/schema.embedded.ts compiler/rego/wasm/rtlib/build node_modules runtime/node_modules runtime/agents/node_modules runtime/builtins/node_modules runtime/redis/node_modules compiler/node_modules compiler/*/node_modules
