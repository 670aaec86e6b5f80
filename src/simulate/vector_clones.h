// Functions marked so are compiled twice, for plain x86-64 and for AVX2, and the processor picks at load
// time. AVX2 alone brings no fused multiply-add, so both give the same bits. Sanitizers cannot run load-time
// selection, and other compilers take the plain version.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAUSCALE_VECTOR_CLONES __attribute__((target_clones("default", "avx2")))
#else
#define CAUSCALE_VECTOR_CLONES
#endif
