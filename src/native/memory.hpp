// How this process treats freed memory.
#pragma once

#include <cstdlib>  // defines __GLIBC__ where it applies

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace partwise {

// Keeps freed memory for the next batch instead of returning it to the system page by page.
inline void keep_memory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1 << 26);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
}

}  // namespace partwise
