// Distinct strings of a text, stored as offsets into it, and lookup among them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace partwise {

// A token is a string that does not end in a NUL byte, so that its first bytes, filled up with zeros, tell its size.
inline bool is_token(std::string_view text) { return !text.empty() && text.back() != '\0'; }

// The key of a token: its bytes if there are at most eight, otherwise a hash whose lowest byte is 1. Equal keys mean equal
// tokens, unless the lowest byte is 1.
uint64_t long_token_key(const char* begin, int64_t size);
inline uint64_t token_key(const char* begin, int64_t size, bool readable) {
    if (size > 8) return long_token_key(begin, size);
    if (readable) return first_bytes(eight_bytes(begin), size);
    char bytes[8] = {};
    std::memcpy(bytes, begin, static_cast<std::size_t>(size));
    return eight_bytes(bytes);
}
inline bool is_hash(uint64_t key) { return (key & 0xFF) == 1; }

class Names {
  public:
    // The code of a token of the text; a token seen for the first time gets a new code. Only its offsets are stored.
    // `readable`: whether eight bytes can be read from any position of it.
    int64_t code(const char* text, int64_t start, int64_t end, bool readable);

    // Makes room for this number of strings, if they are not very many.
    void reserve(int64_t count);

    // The code of a string of another text, -1 if it does not occur here.
    int64_t find(const char* text, const char* begin, const char* end) const;

    int64_t count() const { return static_cast<int64_t>(start_.size()); }
    std::vector<int64_t>& starts() { return start_; }
    std::vector<int64_t>& ends() { return end_; }

  private:
    struct Slot {
        uint64_t key;   // the bytes of a short string, the hash of a longer one
        int32_t code;   // -1: free
        uint32_t size;  // truncated to 32 bits
    };

    void grow(uint64_t capacity);
    static uint64_t place(uint64_t key, int64_t size);

    std::vector<Slot> slots_;
    uint64_t mask_ = 0;
    std::vector<int64_t> start_, end_;
};

}  // namespace partwise
