# make run    serve the Library at http://127.0.0.1:8080 (ARGS="--port 9000" adds options)
# make test   pass all tests
#
# Both install the Debian packages that are missing.

# What the service links, and what the README's walk and the tests call.
PACKAGES = libmicrohttpd-dev libsodium-dev libjansson-dev libsqlite3-dev pkg-config libcurl4 libxml2 curl jq python3
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: run test robustness bench format lint clean packages

run: packages
	swift build -c release --product waypost
	.build/release/waypost serve $(ARGS)

test: packages
	swift build --build-tests
	swift test --skip-build
	Tests/robustness/run .build/debug/waypost
	Tests/edge/run .build/debug/waypost

# The long form: 50 kills, 20 power cuts, 400 damaged logs.
robustness: packages
	swift build -c release --product waypost
	Tests/robustness/run .build/release/waypost --long

bench: packages
	@command -v wrk >/dev/null || $(SUDO) apt-get install --yes wrk
	swift build -c release --product waypost
	Benchmarks/run.py .build/release/waypost
	Benchmarks/stored.py .build/release/waypost

format:
	swift format --in-place --recursive Package.swift Sources Tests

lint:
	swift format lint --strict --recursive Package.swift Sources Tests

clean:
	swift package clean

packages:
	@dpkg -s $(PACKAGES) >/dev/null 2>&1 || { \
	    $(SUDO) apt-get update --quiet && \
	    $(SUDO) apt-get install --yes --no-install-recommends $(PACKAGES); }
