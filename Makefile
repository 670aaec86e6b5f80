# The two commands of the README, and a few for development. CMake does the real work: see CMakePresets.json.
BUILD := build/release

.PHONY: demo test build page setup deb wheel wheels tarball aarch64 docs asan tsan coverage format format-check lint bench clean

# The program alone: no libtorch, no tests.
demo:
	@tools/setup program
	@test -f build/program/build.ninja || cmake --preset program
	cmake --build build/program --target causcale_cli
	@tools/demo build/program/bin/causcale

test: build
	ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc)

build: setup
	@test -f $(BUILD)/build.ninja || cmake --preset release
	cmake --build $(BUILD)

# Two Debian packages in build/release: causcale, and causcale-train, which needs libtorch.
deb: build
	cd $(BUILD) && cpack -G DEB

# What runs elsewhere, in build/static: a tarball for any Linux on this kind of processor, a Python wheel. No libtorch.
STATIC := build/static
tarball: $(STATIC)/build.ninja
	cmake --build $(STATIC) --target tarball

wheel: $(STATIC)/build.ninja
	cmake --build $(STATIC) --target wheel

$(STATIC)/build.ninja:
	@tools/setup portable
	cmake --preset static

# Wheels for other Pythons, too, named by the Debian or Ubuntu that has them: 3.9, 3.10, 3.12, 3.13 and 3.14. All go into
# $(STATIC)/wheel.
PYTHONS := bullseye jammy noble trixie resolute
wheels: wheel $(PYTHONS:%=wheel-%)

wheel-%: wheel
	@tools/setup wheels
	@test -d build/python-$*/usr/include || tools/python_root $* build/python-$*
	@test -f build/static-$*/build.ninja || cmake --preset static -B build/static-$* -DCAUSCALE_PYTHON_ROOT=$(CURDIR)/build/python-$*
	cmake --build build/static-$* --target causcale_portable_python
	/usr/bin/python3 python/make_wheel.py --build $(STATIC) --module-build build/static-$* \
	  --version $$(tools/version) --output $(STATIC)/wheel

# Both for 64-bit ARM, cross-compiled, in build/static-aarch64.
ARM_ROOT := build/aarch64-root
aarch64:
	@test -d $(ARM_ROOT)/usr/include || tools/aarch64_root $(ARM_ROOT)
	@test -f build/static-aarch64/build.ninja || cmake --preset static-aarch64 -DCMAKE_SYSROOT=$(CURDIR)/$(ARM_ROOT)
	cmake --build build/static-aarch64 --target tarball wheel

# The documentation as a site in build/site, with the C++ reference (Doxygen) and the Python reference below api/.
docs:
	@tools/setup docs
	tools/make_docs build/site

# The page for browsers, in build/page; causcale serve finds it there.
page:
	@tools/setup page
	tools/build_page.sh

setup:
	@tools/setup

# Address and undefined-behaviour sanitizers over everything that needs no libtorch.
asan: setup
	@test -f build/asan/build.ninja || cmake --preset asan
	cmake --build build/asan
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 ctest --test-dir build/asan --output-on-failure -j $$(nproc)

# Data races, in what shares work out: the thread pool, the network, discover and the methods.
tsan: setup
	@test -f build/tsan/build.ninja || cmake --preset tsan
	cmake --build build/tsan --target test_base test_core test_discover
	build/tsan/bin/test_base --gtest_filter='*Pool*:*Parallel*'
	build/tsan/bin/test_core --gtest_filter='CoreNetwork*'
	build/tsan/bin/test_discover --gtest_filter='*Threads*'

# Which lines the tests run, of everything that needs no libtorch, as a table per folder. Tests of packages and of the
# documentation run no lines that others do not.
coverage: setup
	@test -f build/coverage/build.ninja || cmake --preset coverage
	cmake --build build/coverage
	@find build/coverage -name '*.gcda' -delete
	ctest --test-dir build/coverage --output-on-failure -j $$(nproc) -E '^(install|architecture|docs|page|report\.browser|core\.aarch64)'
	tools/coverage build/coverage

format:
	@git ls-files -co --exclude-standard '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format -i

format-check:
	@git ls-files -co --exclude-standard '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format --dry-run --Werror

# clang-tidy with the checks of .clang-tidy on these folders, shellcheck on all scripts.
LINTED := base graph exchange core discover/stacking service serve
lint:
	@(git ls-files '*.sh'; git grep -lE '^#!.*bash' -- tools tests web python) | sort -u | xargs shellcheck --severity=error --shell=bash
	@test -f build/core/build.ninja || cmake --preset core
	@git ls-files $(LINTED:%='src/%/*.cpp') | grep -v kernels | xargs -n 1 -P $$(nproc) clang-tidy --quiet -p build/core

bench: build
	@for program in $(BUILD)/bin/*_bench; do echo "== $$program"; $$program; done

clean:
	rm -rf build
