// The members of a tar archive, as far as their headers are plain.
#pragma once

#include <string>
#include <string_view>

#include "spans.hpp"

namespace partwise {

// Where the contents of regular files are, and their sizes; their names, each followed by a NUL. `next` is where the first
// header is that was not read.
struct TarMembers {
    std::string names;
    Ints data, size;
    int64_t next = 0;
};

// Reads headers from the beginning of a part of an archive on, until one is not within it, or is not plain: not that of a
// regular file with a name of ASCII, or one with a number that is not simply octal, or with a wrong checksum.
TarMembers read_tar(std::string_view part);

}  // namespace partwise
