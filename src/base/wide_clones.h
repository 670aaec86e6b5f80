// Marks an inner loop to be compiled for several instruction sets, the processor choosing one at the start.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CAUSCALE_WIDE_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CAUSCALE_WIDE_CLONES
#endif
