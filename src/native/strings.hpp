// JSON strings, 64 bytes at a time: one bit for each byte that matters. Code for a processor has an alternative in plain C++.
#pragma once

#include <string_view>

#include "text.hpp"

namespace partwise {

constexpr int64_t STRING_BLOCK = 64;

// What a block has that matters to strings, wherever they are in it.
struct StringMarks {
    uint64_t ends;         // quotation marks that are not escaped, control characters, and what follows the text
    uint64_t backslashes;
    uint64_t unusual;      // where an escape may be invalid, or half a character
};

// The marks of so many blocks of a text, from this block on. Of an invalid escape at least one byte is unusual, from that
// after the backslash to what should have been its last, or to the end of the string if that is earlier.
void string_marks(std::string_view text, int64_t block, int64_t count, StringMarks* marks);

// The number of characters that a JSON string with valid escapes spells; half a character counts as one.
int64_t string_characters(std::string_view text);

}  // namespace partwise
