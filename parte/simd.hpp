#pragma once

// Internal. PARTE_SIMD_CLONES compiles a function twice, for AVX2 + FMA and for the baseline, and picks at load time;
// such functions take raw pointers only, never Eigen types, whose alignment depends on the instruction set.
// Sanitizers start too late for the loader's choice, so they get the baseline alone.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PARTE_SIMD_CLONES
#elif defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define PARTE_SIMD_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define PARTE_SIMD_CLONES
#endif
