// JSON strings, 64 bytes at a time: one bit for each byte that matters. Code for a processor has an alternative in plain C++.
#pragma once

#include "text.hpp"

namespace partwise {

constexpr int64_t STRING_BLOCK = 64;

// Backslashes and what may follow one: a single byte, or the letter that begins the number of a character.
struct EscapeMarks {
    uint64_t backslashes, single, unicode;
};

// What the length of a string depends on: the bytes of a character after its first, backslashes, and the letters that begin
// a number and that of half a character.
struct LengthMarks {
    uint64_t later, backslashes, unicode, halves;
};

#if defined(__SSE2__) && !defined(PARTWISE_PORTABLE)

inline uint64_t sixteen_marks(__m128i bytes, int part) {
    return static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(bytes))) << (16 * part);
}

// What ends a stretch of plain text: quotation marks, backslashes and control characters.
inline uint64_t special_bytes(const char* at) {
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(31);
    uint64_t marks = 0;
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
        const __m128i signs = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        marks |= sixteen_marks(_mm_or_si128(signs, _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes)), i);
    }
    return marks;
}

inline EscapeMarks escape_marks(const char* at) {
    EscapeMarks marks{0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
        const auto is = [](__m128i some, char letter) { return _mm_cmpeq_epi8(some, _mm_set1_epi8(letter)); };
        // Letters that differ in one bit are compared together.
        const __m128i b_or_r = is(_mm_and_si128(bytes, _mm_set1_epi8(static_cast<char>(~0x10))), 'b');
        const __m128i f_or_n = is(_mm_and_si128(bytes, _mm_set1_epi8(static_cast<char>(~0x08))), 'f');
        const __m128i letter = _mm_or_si128(_mm_or_si128(b_or_r, f_or_n), is(bytes, 't'));
        const __m128i backslash = is(bytes, '\\');
        const __m128i sign = _mm_or_si128(_mm_or_si128(is(bytes, '"'), is(bytes, '/')), backslash);
        marks.backslashes |= sixteen_marks(backslash, i);
        marks.single |= sixteen_marks(_mm_or_si128(letter, sign), i);
        marks.unicode |= sixteen_marks(is(bytes, 'u'), i);
    }
    return marks;
}

inline LengthMarks length_marks(const char* at) {
    LengthMarks marks{0, 0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
        const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(32));
        marks.later |= sixteen_marks(_mm_cmplt_epi8(bytes, _mm_set1_epi8(-64)), i);
        marks.backslashes |= sixteen_marks(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')), i);
        marks.unicode |= sixteen_marks(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('u')), i);
        marks.halves |= sixteen_marks(_mm_cmpeq_epi8(lower, _mm_set1_epi8('d')), i);
    }
    return marks;
}

#else

// One bit for each byte of a word that is 0.
inline uint64_t zero_bytes(uint64_t word) {
    constexpr uint64_t lows = 0x7F7F7F7F7F7F7F7Fu;
    const uint64_t highest = ~(((word & lows) + lows) | word | lows);
    return (highest >> 7) * 0x0102040810204080u >> 56;
}

constexpr uint64_t eight_times(unsigned char byte) { return 0x0101010101010101u * byte; }

inline uint64_t special_bytes(const char* at) {
    uint64_t marks = 0;
    for (int i = 0; i < 8; ++i) {
        const uint64_t word = eight_bytes(at + 8 * i);
        const uint64_t signs = zero_bytes(word ^ eight_times('"')) | zero_bytes(word ^ eight_times('\\'));
        marks |= (signs | zero_bytes(word & eight_times(0xE0))) << (8 * i);
    }
    return marks;
}

inline EscapeMarks escape_marks(const char* at) {
    EscapeMarks marks{0, 0, 0};
    for (int i = 0; i < 64; ++i) {
        marks.backslashes |= static_cast<uint64_t>(at[i] == '\\') << i;
        marks.single |= static_cast<uint64_t>(at[i] && std::strchr("\"\\/bfnrt", at[i])) << i;
        marks.unicode |= static_cast<uint64_t>(at[i] == 'u') << i;
    }
    return marks;
}

inline LengthMarks length_marks(const char* at) {
    LengthMarks marks{0, 0, 0, 0};
    for (int i = 0; i < 8; ++i) {
        const uint64_t word = eight_bytes(at + 8 * i);
        marks.later |= zero_bytes((word & eight_times(0xC0)) ^ eight_times(0x80)) << (8 * i);
        marks.backslashes |= zero_bytes(word ^ eight_times('\\')) << (8 * i);
        marks.unicode |= zero_bytes(word ^ eight_times('u')) << (8 * i);
        marks.halves |= zero_bytes((word | eight_times(32)) ^ eight_times('d')) << (8 * i);
    }
    return marks;
}

#endif

// The bytes that follow a backslash which is not itself escaped. `carried` is 1 if the first byte is escaped by the last of
// the block before, and becomes that for the block after.
inline uint64_t escaped_bytes(uint64_t backslashes, uint64_t& carried) {
    uint64_t escaped = backslashes << 1 | carried;
    if (!(backslashes & escaped)) {  // no backslashes side by side
        carried = backslashes >> 63;
        return escaped;
    }
    escaped = carried;
    for (uint64_t left = backslashes; left; left &= left - 1) {
        const uint64_t one = left & (~left + 1);
        if (!(escaped & one)) escaped |= one << 1;
    }
    carried = backslashes >> 63 & ~(escaped >> 63);
    return escaped;
}

}  // namespace partwise
