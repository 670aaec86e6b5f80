# The two commands of the README, and a few for development. CMake does the real work: see CMakePresets.json.
BUILD := build/release

.PHONY: demo test build setup deb wheel asan format format-check bench clean

demo: build
	@tools/demo $(BUILD)/bin/causcale

test: build
	ctest --test-dir $(BUILD) --output-on-failure -j $$(nproc)

build: setup
	@test -f $(BUILD)/build.ninja || cmake --preset release
	cmake --build $(BUILD)

# A Debian package in build/release.
deb: build
	cd $(BUILD) && cpack -G DEB

# A Python wheel in build/release/wheel, for machines with the same libtorch.
wheel: build
	cmake --build $(BUILD) --target wheel

setup:
	@tools/setup

# Address and undefined-behaviour sanitizers over everything that needs no libtorch.
asan: setup
	@test -f build/asan/build.ninja || cmake --preset asan
	cmake --build build/asan
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 ctest --test-dir build/asan --output-on-failure -j $$(nproc)

format:
	@git ls-files -co --exclude-standard '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format -i

format-check:
	@git ls-files -co --exclude-standard '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format --dry-run --Werror

bench: build
	@for program in $(BUILD)/bin/*_bench; do echo "== $$program"; $$program; done

clean:
	rm -rf build
