// From bytes to tokens: the positions of blank-separated words, and the numbers they spell. Compiler- or processor-specific
// code has an alternative in plain C++; tests define PARTWISE_PORTABLE to use the alternatives everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__) && !defined(PARTWISE_PORTABLE)
#include <emmintrin.h>
#endif

namespace partwise {

// For functions in the innermost loops, which compilers would otherwise call.
#if defined(__GNUC__) && !defined(PARTWISE_PORTABLE)
#define PARTWISE_INLINE inline __attribute__((always_inline))
#else
#define PARTWISE_INLINE inline
#endif

constexpr int64_t PADDING = 64;  // readable bytes required after a text that is scanned word by word

// Eight bytes as a little-endian number.
inline uint64_t eight_bytes(const char* at) {
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int i = 0; i < 8; ++i) word |= static_cast<uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
#else
    std::memcpy(&word, at, 8);
#endif
    return word;
}

// Loads what is at an address into the cache, if the compiler has a way to say so.
#if defined(__GNUC__) && !defined(PARTWISE_PORTABLE)
constexpr bool CAN_PREFETCH = true;
#else
constexpr bool CAN_PREFETCH = false;
#endif
inline void prefetch(const void* at) {
#if defined(__GNUC__) && !defined(PARTWISE_PORTABLE)
    __builtin_prefetch(at);
#else
    static_cast<void>(at);
#endif
}

// The position of the lowest bit that is set; the word must not be 0.
inline int lowest_bit(uint64_t word) {
#if defined(__GNUC__) && !defined(PARTWISE_PORTABLE)
    return __builtin_ctzll(word);
#else
    int place = 0;
    for (int half = 32; half > 0; half /= 2) {
        if (word & ((uint64_t{1} << half) - 1)) continue;
        word >>= half;
        place += half;
    }
    return place;
#endif
}

// The number of bits that are set.
inline int64_t bits_of(uint64_t word) {
#if defined(__GNUC__) && !defined(PARTWISE_PORTABLE)
    return __builtin_popcountll(word);
#else
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return static_cast<int64_t>(word * 0x0101010101010101u >> 56);
#endif
}

// The first `size` bytes of a word (size from 0 to 8).
inline uint64_t first_bytes(uint64_t word, int64_t size) {
    return size >= 8 ? word : word & ((uint64_t{1} << (8 * size)) - 1);
}

// The first character of a line that is not data.
inline constexpr char COMMENT = '#';

inline bool is_blank(char c) { return static_cast<unsigned char>(c) <= 32; }

// The first blank at or after `at`; the readable text must contain one.
inline const char* token_end(const char* at) {
    constexpr uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    while (true) {
        const uint64_t word = eight_bytes(at);
        const uint64_t marks = (word - ones * 33) & ~word & highs;
        if (marks) return at + (lowest_bit(marks) >> 3);
        at += 8;
    }
}

// The number of bytes that are counted, in stretches short enough for a one-byte counter, which compilers can vectorise.
template <class Counted>
PARTWISE_INLINE int64_t count_bytes(std::string_view text, const Counted& is_counted) {
    int64_t count = 0;
    for (std::size_t at = 0; at < text.size(); at += 240) {
        const std::size_t stop = std::min(at + 240, text.size());
        unsigned char here = 0;
        for (std::size_t i = at; i < stop; ++i) here = static_cast<unsigned char>(here + is_counted(text[i]));
        count += here;
    }
    return count;
}

// The number of line ends of a text.
int64_t line_ends(std::string_view text);

// One bit per byte of 64: which are blanks, and which of those end a line.
struct Marks {
    uint64_t blanks;
    uint64_t breaks;
};

#if defined(__SSE2__) && !defined(PARTWISE_PORTABLE)

inline Marks marks_of(const char* at) {
    Marks marks{0, 0};
    const __m128i blank = _mm_set1_epi8(32), line_end = _mm_set1_epi8('\n');
    for (int i = 0; i < 4; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * i));
        const int blanks = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes));
        const int breaks = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, line_end));
        marks.blanks |= static_cast<uint64_t>(static_cast<uint32_t>(blanks)) << (16 * i);
        marks.breaks |= static_cast<uint64_t>(static_cast<uint32_t>(breaks)) << (16 * i);
    }
    return marks;
}

#else

inline Marks marks_of(const char* at) {
    Marks marks{0, 0};
    for (int i = 0; i < 64; ++i) {
        marks.blanks |= static_cast<uint64_t>(is_blank(at[i])) << i;
        marks.breaks |= static_cast<uint64_t>(at[i] == '\n') << i;
    }
    return marks;
}

#endif

// The first `size` bytes of a word, up to eight, as the digits of a number; false if one is not a digit. The value of no
// digits is 0.
PARTWISE_INLINE bool eight_digits(uint64_t word, int64_t size, uint64_t& value) {
    if (size == 0) {
        value = 0;
        return true;
    }
    const uint64_t digits = (word ^ 0x3030303030303030u) << (64 - 8 * size);  // without the bytes that follow
    if (((digits + 0x0606060606060606u) | digits) & 0xF0F0F0F0F0F0F0F0u) return false;
    uint64_t sum = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFu;
    sum = (sum * 100 + (sum >> 16)) & 0x0000FFFF0000FFFFu;
    value = (sum * 10000 + (sum >> 32)) & 0xFFFFFFFFu;
    return true;
}

constexpr uint64_t POWERS[20] = {1u,
                                 10u,
                                 100u,
                                 1000u,
                                 10000u,
                                 100000u,
                                 1000000u,
                                 10000000u,
                                 100000000u,
                                 1000000000u,
                                 10000000000u,
                                 100000000000u,
                                 1000000000000u,
                                 10000000000000u,
                                 100000000000000u,
                                 1000000000000000u,
                                 10000000000000000u,
                                 100000000000000000u,
                                 1000000000000000000u,
                                 10000000000000000000u};

// Up to 16 digits as a number, eight at a time; the text must be padded.
PARTWISE_INLINE bool sixteen_digits(const char* at, int64_t size, uint64_t& value) {
    if (size <= 8) return eight_digits(eight_bytes(at), size, value);
    if (size > 16) return false;
    uint64_t high, low;
    if (!eight_digits(eight_bytes(at), 8, high)) return false;
    if (!eight_digits(eight_bytes(at + 8), size - 8, low)) return false;
    value = high * POWERS[size - 8] + low;
    return true;
}

// The rules for tokens, one byte at a time; any text, padded or not.
bool natural_number(const char* begin, const char* end, int64_t& value);  // digits, at most 18 after leading zeros
bool whole_number(const char* begin, const char* end, int64_t& value);    // an optional sign, at most 18 digits
bool real_number(const char* begin, const char* end, double& value);      // decimal or infinity, correctly rounded

bool other_real(const char* begin, const char* end, double& value);       // the same; the text must be padded

// The same for padded text, with a fast path for common numbers.
PARTWISE_INLINE bool quick_natural(const char* begin, const char* end, int64_t& value) {
    uint64_t number;
    if (sixteen_digits(begin, end - begin, number)) {
        value = static_cast<int64_t>(number);
        return true;
    }
    return natural_number(begin, end, value);
}

// Powers of ten that doubles hold exactly.
constexpr double TENTHS[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Digits, a point and digits, at most seven before it and eight after it: exact as a whole number over a power of ten.
PARTWISE_INLINE bool quick_real(const char* begin, const char* end, double& value) {
    constexpr uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u, dots = 0x2E2E2E2E2E2E2E2Eu;
    const bool negative = *begin == '-';
    const char* first = begin + negative;
    const uint64_t head = eight_bytes(first), other = head ^ dots;
    const uint64_t marks = (other - ones) & ~other & highs;
    const int64_t point = marks ? lowest_bit(marks) >> 3 : 8;
    const int64_t places = end - first - point - 1;
    uint64_t whole, part;
    if (point < 8 && point > 0 && places >= 0 && places <= 8 && eight_digits(head, point, whole) &&
        eight_digits(eight_bytes(first + point + 1), places, part)) {
        const double magnitude = static_cast<double>(whole * POWERS[places] + part) / TENTHS[places];
        value = negative ? -magnitude : magnitude;
        return true;
    }
    return other_real(begin, end, value);
}

}  // namespace partwise
