# Everything is built in one directory with one set of flags, so that `make demo`, `make test` and
# `make build` share their work. STRICT=1 makes warnings errors, in a directory of its own: a
# newer compiler's warnings should stop the checks, but not a user's first run.
STRICT ?= 0

# Checks build once, with the engines that are traits; a trait is a flag of every module.
FLAGS_0 =
FLAGS_1 = --scratch-path .build-strict --traits SQLite,PostgreSQL,Encryption \
	-Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Wextra -Xcc -Werror
PACKAGES_1 = libsqlite3-dev libpq-dev postgresql libsodium-dev
FLAGS = --explicit-target-dependency-import-check error $(FLAGS_$(STRICT))

# SwiftPM names several traits to the compiler in the order of a set, which is another one in each
# process: five times in six, everything would be built anew. Tests run without it.
BUILD = SWIFT_DETERMINISTIC_HASHING=1 swift build
TEST = swift test --skip-build --disable-xctest

# How what is a trait is built.
ENGINES = --explicit-target-dependency-import-check error --traits SQLite,PostgreSQL,Encryption \
	--scratch-path .build-engines

SOURCES = find Package.swift Sources Tests $(wildcard Snippets SpeedTests) \
	-name '.build*' -prune -o -name '*.swift' -print0

# The long runs print the seed that repeats them: make crash COUNT=20000 SEED=7
COUNT ?= 20000
SEED ?= 1
ROUNDS ?= 20000
# The number of the day, so that no day tries what another has tried.
TEST_SEED := $(or $(CABINET_SEED),$(shell expr $$(date +%s) / 86400))
CORES := $(shell getconf _NPROCESSORS_ONLN)
SECONDS ?= 60
# So many saves processes make on a server's store, while half of them are killed.
SAVES ?= 10000
# Of what random tests repeat, sanitizers see one in so many.
SHARE ?= 8
FUZZ_TARGETS = dataBuffer operations snapshot segment catalog hashImage sortedRun layouts layoutEntries codable propertyList document
LONG = swift run -c release --scratch-path .build-long CrashWorker

.PHONY: help demo test test-long test-outside test-engines build check lint docs docs-check order-check isolation-check format speed crash documents powercut ordered queries writers interleave schedules damage fuzz sanitize nightly blocks dist \
	clean packages

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

demo: packages ## Keep a sample music library: import, reorder, delete, undo, save, reopen
	swift run $(FLAGS) playlists tour

# As many tests at once as there are cores: else all begin at once, and none ends before the last minute.
test: packages ## Build and run all tests, an eighth of what random ones repeat, by the day's seed
	@echo "CABINET_SEED=$(TEST_SEED) repeats this run's random choices"
	@$(BUILD) $(FLAGS) --build-tests
	@CABINET_SEED=$(TEST_SEED) SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(CORES) \
		.ci/progress $(TEST) $(FLAGS)

test-long: packages ## The same, optimised, with all that random tests repeat
	@echo "CABINET_SEED=$(TEST_SEED) repeats this run's random choices"
	@CABINET_SEED=$(TEST_SEED) CABINET_SHARE=1 SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(CORES) \
		.ci/progress swift test -c release -Xswiftc -enable-testing --scratch-path .build-release \
		--disable-xctest

test-outside: packages ## Build an engine in a package of its own, and see that it keeps the contract
	cd Tests/OutsideEngine && swift test $(filter-out --traits SQLite%,$(FLAGS)) --disable-xctest

test-engines: packages ## Test what is a package trait alone: SQLite's engine, PostgreSQL's with a server of its own, and sealed stores
	@.ci/install-packages $(PACKAGES_1)
	$(BUILD) $(ENGINES) --build-tests
	CABINET_SEED=$(TEST_SEED) CABINET_SAVES=$(SAVES) \
		$(TEST) $(ENGINES) --filter SQLite --filter Postgre --filter Seal --filter Key --filter Nonce --filter Reencrypt

build: packages ## Build everything, tests included
	$(BUILD) $(FLAGS) --build-tests

check: ## Do all that must pass before a change goes in: lint, strict build, tests
	@.ci/run

lint: ## Check the format, the floors and the rooms, without building
	@$(SOURCES) | xargs -0 swift format lint --strict --parallel
	@.ci/check-rooms --self-test
	@.ci/check-rooms
	@.ci/check-words
	@.ci/check-members --self-test
	@.ci/check-members

docs: build ## Build the documentation site in .build-docs, with the toolchain's docc alone
	@.ci/docs site "$$(swift build $(FLAGS) --show-bin-path)" .build-docs
	@echo "The site is in .build-docs; python3 -m http.server -d .build-docs shows it at /documentation/cabinet"

docs-check: build ## Check that all is documented, links lead somewhere, README's and articles' code compiles
	@.ci/docs --self-test
	@.ci/docs check "$$(swift build $(FLAGS) --show-bin-path)"

order-check: build ## Check that no folder uses what a later folder declares
	@.ci/check-order --self-test
	@.ci/check-order "$$(swift build $(FLAGS) --show-bin-path)"

isolation-check: build ## Check that objects and stores cannot leave their isolation domain
	@.ci/check-isolation "$$(swift build $(FLAGS) --show-bin-path)"
	@.ci/check-documents "$$(swift build $(FLAGS) --show-bin-path)"

format: ## Bring the sources into the project's format
	@$(SOURCES) | xargs -0 swift format --in-place --parallel

speed: ## Compare with SQLite and Tokyo Cabinet called from C; takes minutes
	@.ci/install-packages libsqlite3-dev
	cd SpeedTests && swift run -c release compare $(SPEED)

crash: packages ## Kill a saving program COUNT times, and look for what it lost
	$(LONG) kills $(COUNT) $(SEED)

documents: packages ## Kill a program that edits and saves a store file COUNT times
	$(LONG) documents $(COUNT) $(SEED)

powercut: packages ## Open a store in COUNT states that power cuts may leave
	$(LONG) cuts $(COUNT) $(SEED)

ordered: packages ## Compare an ordered table with plain Swift for COUNT random steps
	$(LONG) ordered $(COUNT) $(SEED)

queries: packages ## Compare the answers to COUNT random queries with plain Swift
	$(LONG) queries $(COUNT) $(SEED)

writers: packages ## Have 64 clients in eight processes make COUNT conflicting saves on a server, each process killed again and again
	@.ci/install-packages $(PACKAGES_1)
	$(BUILD) $(ENGINES) --build-tests
	CABINET_SEED=$(SEED) CABINET_SAVES=$(COUNT) \
		$(TEST) $(ENGINES) --filter CabinetPostgreSQLTests.SeveralProcessTests

interleave: packages ## Have three stores edit, save and merge in ROUNDS orders that seeds give
	INTERLEAVE_ROUNDS=$(ROUNDS) swift test --disable-xctest --filter InterleavingTests

# Optimised, with the points where a thread may be made to wait, which other builds leave out.
schedules: packages ## Run COUNT schedules of stores on threads, from SEED on; see that left-out steps are found
	CABINET_SCHEDULES=$(COUNT) CABINET_SEED=$(SEED) swift test -c release \
		-Xswiftc -enable-testing -Xswiftc -DSCHEDULES --scratch-path .build-schedules \
		--disable-xctest --filter ScheduleTests

damage: packages ## Damage COUNT places of a store's files, one at a time; COUNT=0 for all
	$(LONG) damages $(COUNT) $(SEED)

fuzz: packages ## Feed the readers of foreign bytes whatever libFuzzer thinks of, SECONDS each
	swift build --scratch-path .build-fuzz --product Fuzzer \
		-Xswiftc -sanitize=fuzzer,address -Xswiftc -use-ld=lld
	for target in $(FUZZ_TARGETS); do \
		mkdir -p .build-fuzz/corpus/$$target && \
		SWIFT_BACKTRACE=enable=no .build-fuzz/debug/Fuzzer $$target -max_total_time=$(SECONDS) \
			-artifact_prefix=.build-fuzz/$$target- .build-fuzz/corpus/$$target \
			Tests/FuzzCorpus/$$target || exit 1; \
	done

# Leaks are not looked for: tests seldom break the cycles of objects that they make, and the leak
# checker does not know pointers that Swift keeps bits in. The address sanitizer keeps memory that was
# freed, and the thread sanitizer notes of what is in use, so tests that limit a process's memory say
# nothing there.
sanitize: packages ## Run the tests under the address and the thread sanitizer; SHARE=1 for all
	ASAN_OPTIONS=detect_leaks=0 CABINET_SHARE=$(SHARE) \
		swift test --sanitize=address --scratch-path .build-address --disable-xctest \
		--skip LargeValueTests
	CABINET_SHARE=$(SHARE) \
		swift test --sanitize=thread --scratch-path .build-thread --disable-xctest \
		--skip LargeValueTests

# Each part goes on where another has failed; what has failed is said at the end.
nightly: ## Run all that is random in its long form, and both sanitizers: hours
	@failed=""; for part in test-long test-engines sanitize schedules crash powercut damage ordered queries interleave fuzz; do \
		echo "==> $$part"; $(MAKE) --no-print-directory $$part || failed="$$failed $$part"; \
	done; test -z "$$failed" || { echo "Failed:$$failed"; exit 1; }

blocks: packages ## Count blocks of memory an object, by the limits of an optimised build
	swift test -c release -Xswiftc -enable-testing --scratch-path .build-release \
		--disable-xctest --filter Allocation

dist: packages ## Make the archive cabinet-VERSION.tar.gz in .build-dist; build and run a package that uses it
	@.ci/dist

clean: ## Remove what was built
	rm -rf .build .build-* SpeedTests/.build Tests/OutsideEngine/.build*

packages:
	@.ci/install-packages $(PACKAGES_$(STRICT))
