// How this process treats memory that was freed.
#pragma once

#include <cstdlib>  // says whether this is glibc

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace partwise {

// Keep it for the next batch instead of handing it back page by page.
inline void keep_memory() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1 << 26);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
}

}  // namespace partwise
