# The commands that a newcomer needs. Each one sets up what it wants; dev/README.md has the rest.

.PHONY: help demo test compare check format release standalone install uninstall dist deb man

# Where 'make install' puts things; below DESTDIR, if that is set.
PREFIX ?= /usr/local
export DESTDIR

help:
	@echo 'make demo      send sample rows to the simulator and show what comes out'
	@echo 'make test      build and run all tests'
	@echo 'make compare   compare with h2load, the reference client, on this machine'
	@echo 'make check     all that a change must pass: format, build, tests, documents, instructions'
	@echo 'make format    format the sources'
	@echo 'make release   build .build/release/fanfare'
	@echo 'make install   install to PREFIX, /usr/local: binary, manual page, completions, documents'
	@echo 'make uninstall remove the same'
	@echo 'make dist      pack a release, .build/fanfare-….tar.gz, for machines without Swift'
	@echo 'make deb       pack a Debian package, .build/fanfare_….deb, for the release it is built on'
	@echo 'make man       write .build/release/fanfare.1, the manual page'

demo: release
	@dev/demo

test:
	dev/setup --tests
	FANFARE_REQUIRE_SERVERS=1 dev/test

compare: release
	Benchmarks/compare
	Benchmarks/compare --shape 4x250 --pairs 3 --payload-bytes 1024
	Benchmarks/compare --shape 4x250 --pairs 3 --payload-bytes 4096
	Benchmarks/compare --shape 4x250 --pairs 3 --cleartext
	Benchmarks/compare --shape 4x250 --pairs 3 --lanes 2
	Benchmarks/compare --shape 4x250 --pairs 3 --server simulate
	Benchmarks/ordinary --shares 1 10 --connections 1 chosen --pairs 1

check:
	dev/setup --checks
	dev/check

format:
	dev/format

release:
	dev/setup
	swift build --configuration release --product fanfare

# With Swift's runtime linked in, so that it runs where there is no toolchain.
standalone:
	dev/setup
	swift build --configuration release --product fanfare --static-swift-stdlib \
	    --scratch-path .build/standalone

# 'sudo make install' only copies: a build as root would leave root's files in .build.
ifeq ($(SUDO_USER),)
install: standalone
endif
install:
	dev/install "$(PREFIX)"

uninstall:
	dev/install --remove "$(PREFIX)"

dist: standalone
	dev/dist

deb: standalone
	dev/deb

man: release
	@.build/release/fanfare man > .build/release/fanfare.1
	@echo 'man -l .build/release/fanfare.1'
