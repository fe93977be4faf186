# `make` prints the targets, each with the text after its ##. All install the Debian packages that are missing.

# A recipe fails when any command of it fails, on the left of a pipe too.
SHELL = bash
.SHELLFLAGS = -euo pipefail -c

# What the service links, and what the README's walk and the tests call.
PACKAGES = libmicrohttpd-dev libsodium-dev libjansson-dev libjemalloc-dev libsqlite3-dev libxml2-dev libpq-dev pkg-config libcurl4 curl jq python3
# Another proxy that the tests put in front of it, certificates, and what unpacks stored databases.
quick test properties edge-next sanitize: PACKAGES += openssl git xz-utils
test edge-next: PACKAGES += nginx-light
# The servers that the tests start by themselves, and what checks the files in Docker.
test properties cluster edge-next: PACKAGES += haproxy
test properties cluster: PACKAGES += postgresql patroni
test check hunt edge-next: PACKAGES += python3-venv
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
TOOLS = $(CURDIR)/.build-bench

# As the package and the image have it. With Swift's runtime in the program, calls into the runtime need
# no table of a shared library (docs/internals/performance.md).
RELEASE = swift build -c release --product waypost --static-swift-stdlib

# Installs the Debian packages of a list, if one of them is missing.
install = dpkg -s $(1) >/dev/null 2>&1 || { \
	    $(SUDO) apt-get update --quiet && \
	    $(SUDO) apt-get install --yes --no-install-recommends $(1); }

.PHONY: help options openapi run quick test nightly properties postgres-alone cluster check check-tools promtool page-test hunt sanitize fuzz mutants robustness unit-example edge-next bench bench-quick bench-tools counts dist dist-test image format lint clean packages

help:
	@sed -nE 's/^([a-z][a-z-]*):.*## (.*)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand --tabs=18

run: packages ## serve the Library at http://127.0.0.1:8080 (ARGS="--port 9000" adds options)
	$(RELEASE)
	.build/release/waypost serve $(ARGS)

# Tests/README.md says what each target holds. Some recipes call `make` in place of $(MAKE), which `make -n` would run.
# SWIFT_TEST runs hundreds of services at the same time, which would wait for each other longer than tests may take.
SWIFT_TEST = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16 swift test --skip-build
DEBUG = .build/debug/waypost
PYTHON = .build-check/bin/python
EDGE_NEXT = PATH='$(CURDIR)/.build-check/bin':$$PATH Tests/edge/next $(DEBUG)

quick: packages ## build, and pass the Swift tests with few random runs and without PostgreSQL
	swift build --build-tests
	WAYPOST_TESTS=quick $(SWIFT_TEST)

test: postgres-alone packages check-tools ## pass everything that a change must pass
	swift build --build-tests
	# Programs that only `make fuzz` and a benchmark build.
	Tests/typecheck fuzz -I Tests/fuzz/libFuzzer Tests/fuzz/Targets/*.swift
	Tests/typecheck depth Benchmarks/depth/*.swift
	Tests/postgres/with env $(SWIFT_TEST)
	@command -v node >/dev/null || $(SUDO) apt-get install --yes --no-install-recommends nodejs
	Tests/together "Tests/edge/run $(DEBUG)" "Tests/budgets/run $(DEBUG)" "make --no-print-directory check" \
	    "$(EDGE_NEXT)" Tests/product/run "Tests/clients/run $(DEBUG)" "Tests/robustness/run $(DEBUG)" \
	    "Tests/proxy/run $(DEBUG)" Tests/cluster/check_files Tests/dist/failures

# Hours, but for the parts that have targets of their own. Each part runs even if one before it has failed.
nightly: ## pass the rest, for hours: all random runs, cluster, hunters, fuzz, page, packages, sanitizers, counts, benchmarks, mutants
	make --keep-going properties robustness cluster hunt page-test fuzz counts dist-test sanitize bench mutants

properties: postgres-alone packages ## pass the Swift tests with all random runs
	swift build --build-tests
	WAYPOST_TESTS=nightly Tests/postgres/with env $(SWIFT_TEST)

# Debian's package would make a server of its own and start it. The tests do not use it, and what listens on
# port 5432 of this machine is not theirs to change: the package is told to make none.
postgres-alone:
	@dpkg -s postgresql >/dev/null 2>&1 || { \
	    $(SUDO) mkdir -p /etc/postgresql-common/createcluster.d && \
	    echo "create_main_cluster = false" | \
	        $(SUDO) tee /etc/postgresql-common/createcluster.d/waypost.conf >/dev/null; }

# The long form: hours. Then the controls, which must fail.
cluster: postgres-alone packages ## put nodes on PostgreSQL under load while things go wrong, for hours (ARGS="--seed 7")
	$(RELEASE)
	Tests/cluster/run .build/release/waypost --long $(ARGS)
	Tests/cluster/run .build/release/waypost --controls

# The same requests each time, for a minute; ARGS="--seed 7 --max-examples 1000" asks others.
check: packages check-tools promtool ## hold the service to openapi.yaml with schemathesis and a generated client
	PATH="$(CURDIR)/.build-check:$$PATH" Tests/observability/run
	swift build --product waypost
	timeout 300 Tests/check/run $(DEBUG) .build-check/bin/schemathesis $(ARGS)
	$(PYTHON) Tests/check/examples
	$(PYTHON) Tests/check/client $(DEBUG)
	$(PYTHON) Tests/check/messages $(DEBUG)
	WAYPOST=$(CURDIR)/$(DEBUG) $(PYTHON) -B -m pytest -q -p no:cacheprovider Examples/TestDouble

unit-example: ## build Examples/UnitTests alone, run its tests, check what it links
	Tests/product/run

# See Tests/hunt/README.md.
hunt: packages check-tools ## hunt defects (ARGS="--only damage --seconds 600 --seed 7")
	swift build --product waypost
	$(PYTHON) Tests/hunt/run $(DEBUG) $(ARGS)

# Tests compare the file with what this writes.
openapi: packages ## write openapi.yaml from the declarations in Sources
	swift build --product OpenAPI
	.build/debug/OpenAPI

check-tools:
	python3 -m venv .build-check
	.build-check/bin/pip install --quiet --disable-pip-version-check -r Tests/check/requirements.txt

# Debian's package would also start a server.
promtool:
	@[ -x .build-check/promtool ] || { \
	    mkdir -p .build-check && cd .build-check && apt-get download --quiet prometheus && \
	    dpkg-deb --fsys-tarfile prometheus_*.deb | tar --extract --strip-components=3 ./usr/bin/promtool && \
	    rm prometheus_*.deb; }

# The inspector in Chromium, with pictures of all states in .build/page.
page-test: packages ## walk through the inspector in Chromium
	@$(call install,chromium chromium-driver fonts-inter fonts-dejavu-core python3-venv)
	swift build --product waypost
	python3 -m venv .build-page
	.build-page/bin/pip install --quiet --disable-pip-version-check --no-deps -r Tests/page/requirements.txt
	timeout 240 .build-page/bin/python Tests/page/run .build/debug/waypost $(ARGS)

# One test after the other: the sanitizers slow them down, and many tests wait with a limit. See
# Tests/sanitize/README.md.
sanitize: packages ## pass the Swift tests under AddressSanitizer and ThreadSanitizer
	Tests/sanitize/run address
	Tests/sanitize/run thread

fuzz: packages ## feed each fuzz target for a minute (ARGS="600 json": one of them for ten)
	WAYPOST_FUZZ=1 swift build -c release --product fuzz --scratch-path .build-fuzz \
	    -Xswiftc -enable-testing -Xswiftc -sanitize=fuzzer,address
	Tests/fuzz/run .build-fuzz/release/fuzz .build-fuzz/inputs $(or $(ARGS),60)

# The long form: 50 kills, 20 power cuts, 400 damaged logs.
robustness: packages ## kill the service, cut its power and damage its store, many times
	$(RELEASE)
	Tests/robustness/run .build/release/waypost --long

edge-next: packages check-tools ## pass the HTTP suites with the libmicrohttpd of Debian 13, too
	swift build --build-tests
	$(EDGE_NEXT)

# A build and the tests of a mutant take about 40 seconds. ARGS="--missing" tries those without a result.
mutants: PACKAGES += postgresql xz-utils
mutants: postgres-alone packages ## change the sources in small ways, which the Swift tests must notice
	Tests/mutants/run --all-tests $(ARGS)

# Ratios to a bare C server, and to what one would pick instead: about 10 minutes, or 2 (quick).
bench: bench-tools ## measure for 10 minutes, see Benchmarks/README.md
	Benchmarks/run.py .build/release/waypost
	Benchmarks/stored.py .build/release/waypost
	Benchmarks/door.py .build/release/waypost

bench-quick: bench-tools ## measure for 2 minutes
	Benchmarks/run.py .build/release/waypost --quick

# What does not depend on the machine's mood, held to Benchmarks/thresholds.json.
counts: packages ## hold instructions, processor time and bytes to their thresholds
	@$(call install,valgrind)
	$(RELEASE)
	Benchmarks/counts.py .build/release/waypost
	Tests/budgets/run .build/release/waypost --requests release

# ARGS=--again builds twice and compares.
dist: packages ## build a Debian package, a tarball and a Python wheel into .build-dist (.dist/README.md)
	@$(call install,dpkg-dev binutils xz-utils git patchelf python3)
	.dist/build $(ARGS)

dist-test: dist ## build them, and install the packages in a fresh Debian; needs root
	@$(call install,lintian debootstrap man-db groff-base systemd zsh fish)
	version=$$(.dist/version); architecture=$$(dpkg --print-architecture); \
	    $(SUDO) Tests/dist/run .build-dist/waypost_$$version-1_$$architecture.deb .build-dist/waypost-*.whl \
        .build-dist/waypost-$$version-linux-*.tar.gz

image: ## build the image of Docker with the version as its tag
	version=$$(.dist/version); \
	    docker build -f Docker/Dockerfile --build-arg VERSION=$$version --tag waypost:$$version .

# The first time, Hummingbird takes 5 minutes to build.
bench-tools: packages
	@$(call install,wrk golang-go)
	@command -v node >/dev/null || $(SUDO) apt-get install --yes --no-install-recommends nodejs
	$(RELEASE)
	mkdir -p $(TOOLS)
	$(CC) -O2 -Wall -Wextra -o $(TOOLS)/c-server Benchmarks/peers/c/server.c -lmicrohttpd
	$(CC) -O2 -Wall -Wextra -o $(TOOLS)/load Benchmarks/load/load.c
	cd Benchmarks/peers/go && go build -buildvcs=false -o $(TOOLS)/go-server .
	swift build -c release --package-path Benchmarks/peers/hummingbird2 \
	    --scratch-path $(TOOLS)/hummingbird2

# Writes docs/options.md from the descriptions of the options. A Swift test fails if the page is not current.
options: packages ## write docs/options.md
	swift build --product waypost
	.dist/options .build/debug/waypost

format: ## format the Swift files
	swift format --in-place --parallel --recursive Package.swift Sources Tests

lint: ## check formats, scripts, the links of the documents, and the list of mutants
	@$(call install,shellcheck python3)
	swift format lint --strict --parallel --recursive Package.swift Sources Tests
	Tests/lint/run
	Tests/lint/scripts
	Tests/lint/documents
	Tests/mutants/run --check

clean: ## remove what the debug build made
	swift package clean

packages:
	@$(call install,$(PACKAGES))
