// Functions that are compiled several times, with wider vector instructions for processors that have them. Which one is
// called is decided when the library is loaded. All round the same way, so that results have the same bits.
#pragma once

#include <cstdlib>  // defines __GLIBC__ where it applies

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PARTWISE_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PARTWISE_SANITIZED
#endif

#if defined(__x86_64__) && defined(__ELF__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(PARTWISE_SANITIZED) && !defined(PARTWISE_PORTABLE)
#if __GNUC__ >= 12  // earlier ones do not know this name
#define PARTWISE_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define PARTWISE_CLONES __attribute__((target_clones("avx2", "default")))
#endif
#else
#define PARTWISE_CLONES
#endif

// Functions that are written with vector instructions, and called only if the processor has them. Not on Windows, where GCC
// does not align the stack for them.
namespace partwise {

#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(PARTWISE_PORTABLE)
#define PARTWISE_AVX2 __attribute__((target("avx2,popcnt")))
inline bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
inline bool has_avx2() { return false; }
#endif

}  // namespace partwise
