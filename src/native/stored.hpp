// A stored index that is mapped into memory: looking up the ids of documents, and reading their trees.
#pragma once

#include <string_view>

#include "spans.hpp"

namespace partwise {

// Strings in one stretch of bytes: string i is offsets[i]:offsets[i+1]. The offsets of a damaged file may be anything.
struct StoredNames {
    std::string_view bytes;
    IntView offsets;
    int64_t count() const { return offsets.size > 0 ? offsets.size - 1 : 0; }
    // The string, and whether it lies within the bytes.
    bool get(int64_t number, std::string_view& name) const;
};

// The key of a name: the FNV-1a hash of its bytes, its bits mixed.
uint64_t name_key(std::string_view name);

// The CRC-32 of zlib, continued from the one of the bytes before.
uint32_t checksum_of(std::string_view data, uint32_t before);

// The number of each wanted name among those stored, -1 if there is none, -2 if there is only another of the same key, -3 if it
// is there twice.
// `keys` are sorted; key i is that of name of[i].
void find_names(const StoredNames& stored, View<uint64_t> keys, IntView of, const StoredNames& wanted, int64_t* number);

// The nodes of document d are first[d]:first[d+1]; its block has 16 bytes for each: all parents, starts, ends and tags, as
// 32-bit integers, the lowest byte first. Its checksum is that of its id, its length (8 bytes) and its block.
struct StoredTrees {
    std::string_view blocks;
    IntView first, length, checksum;
    StoredNames ids;
    int64_t tags;  // the number of tags
};

// The trees of these documents; the index of the first that is damaged, -1 if none is.
struct ReadTrees {
    Ints offsets, parent, start, end, tag;
    int64_t damaged = -1;
};
ReadTrees read_trees(const StoredTrees& stored, IntView documents);

// The blocks of documents, of which document d has the nodes first[d]:first[d+1], and their checksums.
struct WrittenTrees {
    IntView first, length, parent, start, end, tag;
    StoredNames ids;
};
void write_trees(const WrittenTrees& trees, char* blocks, int64_t* checksum);

}  // namespace partwise
