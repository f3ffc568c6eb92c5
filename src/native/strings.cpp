#include "strings.hpp"

#include "vectors.hpp"

#if defined(PARTWISE_AVX2)
#include <immintrin.h>
#endif

namespace partwise {

namespace {

// Bytes that end a stretch of plain text.
struct Specials {
    uint64_t quotes, controls, backslashes;
};

// What may follow a backslash, a single byte or the letter that begins a number, and what a number is made of.
struct Escapes {
    uint64_t single, unicode, hex, half;  // half: the digit that the numbers of half characters begin with
};

// The bytes of a character after its first, backslashes, and the letters that begin a number and that of half a character.
struct LengthMarks {
    uint64_t later, backslashes, unicode, half;
};

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

// What one block has to know about those before.
struct Carried {
    uint64_t escaped = 0;  // 1 if the first byte is escaped
    uint64_t numbers = 0;  // the escaped letters that begin a number, of the block before

    bool any() const { return escaped | (numbers >> 60); }
};

// Found by looking back, so that blocks may be read in any order.
Carried carried_into(std::string_view text, std::size_t at) {
    Carried carried;
    for (std::size_t back = at; back > 0 && text[back - 1] == '\\'; --back) carried.escaped ^= 1;
    for (std::size_t back = 1; back <= 4 && back < at; ++back) {  // even if that backslash is escaped: only unusual
        if (text[at - back] == 'u' && text[at - back - 1] == '\\') carried.numbers |= uint64_t{1} << (64 - back);
    }
    return carried;
}

PARTWISE_INLINE StringMarks with_escapes(const Specials& specials, const Escapes& escapes, Carried& carried) {
    const uint64_t escaped = escaped_bytes(specials.backslashes, carried.escaped);
    const uint64_t before = carried.numbers, numbers = escaped & escapes.unicode;
    const uint64_t first = numbers << 1 | before >> 63;
    const uint64_t others = numbers << 2 | before >> 62 | numbers << 3 | before >> 61 | numbers << 4 | before >> 60;
    carried.numbers = numbers;
    const uint64_t invalid = (escaped & ~(escapes.single | escapes.unicode)) | ((first | others) & ~escapes.hex);
    const uint64_t ends = (specials.quotes & ~escaped) | specials.controls;
    return {ends, specials.backslashes, invalid | (first & escapes.half)};
}

// Whether an escaped character, whose number begins at `at`, is the first half of one that goes on after it.
bool is_first_half(std::string_view text, std::size_t at) {
    const auto is_half = [text](std::size_t place, std::string_view letters) {
        return (text[place] | 32) == 'd' && letters.find(static_cast<char>(text[place + 1] | 32)) != std::string_view::npos;
    };
    if (text.size() - at < 10 || !is_half(at, "89ab")) return false;
    // The second halves are DC00 to DFFF.
    return text[at + 4] == '\\' && text[at + 5] == 'u' && is_half(at + 6, "cdef");
}

// The bytes of a block; zeros follow the end of the text.
const char* padded(std::string_view text, std::size_t at, char* last) {
    if (text.size() >= at + STRING_BLOCK) return text.data() + at;
    std::memset(last, 0, STRING_BLOCK);
    if (text.size() > at) std::memcpy(last, text.data() + at, text.size() - at);
    return last;
}

// Inlined where they are used, so that the methods of Bytes can be: those of Wide only into functions for its processors.
template <class Bytes>
PARTWISE_INLINE void marks_of_blocks(std::string_view text, int64_t block, int64_t count, StringMarks* marks) {
    char last[STRING_BLOCK];
    auto at = static_cast<std::size_t>(STRING_BLOCK * block);
    Carried carried = carried_into(text, at);
    for (int64_t i = 0; i < count; ++i, at += STRING_BLOCK) {
        const char* bytes = padded(text, at, last);
        const Specials specials = Bytes::specials(bytes);
        if (specials.backslashes || carried.any())
            marks[i] = with_escapes(specials, Bytes::escapes(bytes), carried);
        else
            marks[i] = {specials.quotes | specials.controls, 0, 0};
    }
}

// An escape is one character longer than what it spells, with a number five, and two numbers that spell one character together
// are eleven longer.
template <class Bytes>
PARTWISE_INLINE int64_t characters_of(std::string_view text) {
    auto length = static_cast<int64_t>(text.size());
    uint64_t carried = 0;
    char last[STRING_BLOCK];
    for (std::size_t at = 0; at < text.size(); at += STRING_BLOCK) {
        const LengthMarks marks = Bytes::lengths(padded(text, at, last));
        const uint64_t escaped = escaped_bytes(marks.backslashes, carried);
        const uint64_t numbers = escaped & marks.unicode;
        length -= bits_of(marks.later) + bits_of(escaped) + 4 * bits_of(numbers);
        for (uint64_t halves = numbers & (marks.half >> 1 | uint64_t{1} << 63); halves; halves &= halves - 1)
            length -= is_first_half(text, at + static_cast<std::size_t>(lowest_bit(halves)) + 1);
    }
    return length;
}

// One bit for each byte of a word that is 0.
inline uint64_t zero_bytes(uint64_t word) {
    constexpr uint64_t lows = 0x7F7F7F7F7F7F7F7Fu;
    const uint64_t highest = ~(((word & lows) + lows) | word | lows);
    return (highest >> 7) * 0x0102040810204080u >> 56;
}

constexpr uint64_t eight_times(unsigned char byte) { return 0x0101010101010101u * byte; }

struct Plain {
    static Specials specials(const char* at) {
        Specials marks{0, 0, 0};
        for (int i = 0; i < 8; ++i) {
            const uint64_t word = eight_bytes(at + 8 * i);
            marks.quotes |= zero_bytes(word ^ eight_times('"')) << (8 * i);
            marks.controls |= zero_bytes(word & eight_times(0xE0)) << (8 * i);
            marks.backslashes |= zero_bytes(word ^ eight_times('\\')) << (8 * i);
        }
        return marks;
    }

    static Escapes escapes(const char* at) {
        Escapes marks{0, 0, 0, 0};
        for (int i = 0; i < 64; ++i) {
            const auto mark = [at, i](std::string_view letters) {
                return static_cast<uint64_t>(letters.find(at[i]) != std::string_view::npos) << i;
            };
            marks.single |= mark("\"\\/bfnrt");
            marks.unicode |= mark("u");
            marks.hex |= mark("0123456789abcdefABCDEF");
            marks.half |= mark("dD");
        }
        return marks;
    }

    static LengthMarks lengths(const char* at) {
        LengthMarks marks{0, 0, 0, 0};
        for (int i = 0; i < 8; ++i) {
            const uint64_t word = eight_bytes(at + 8 * i);
            marks.later |= zero_bytes((word & eight_times(0xC0)) ^ eight_times(0x80)) << (8 * i);
            marks.backslashes |= zero_bytes(word ^ eight_times('\\')) << (8 * i);
            marks.unicode |= zero_bytes(word ^ eight_times('u')) << (8 * i);
            marks.half |= zero_bytes((word | eight_times(32)) ^ eight_times('d')) << (8 * i);
        }
        return marks;
    }
};

#if defined(PARTWISE_AVX2)

struct Wide {
    PARTWISE_AVX2 static uint64_t bits(__m256i first, __m256i second) {
        const auto low = static_cast<uint32_t>(_mm256_movemask_epi8(first));
        const auto high = static_cast<uint32_t>(_mm256_movemask_epi8(second));
        return low | static_cast<uint64_t>(high) << 32;
    }

    PARTWISE_AVX2 static __m256i half_block(const char* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }

    PARTWISE_AVX2 static uint64_t same(__m256i first, __m256i second, char letter) {
        const __m256i letters = _mm256_set1_epi8(letter);
        return bits(_mm256_cmpeq_epi8(first, letters), _mm256_cmpeq_epi8(second, letters));
    }

    PARTWISE_AVX2 static __m256i lower(__m256i bytes) { return _mm256_or_si256(bytes, _mm256_set1_epi8(32)); }

    PARTWISE_AVX2 static __m256i is_control(__m256i bytes) {
        return _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(31)), bytes);
    }

    PARTWISE_AVX2 static Specials specials(const char* at) {
        const __m256i first = half_block(at), second = half_block(at + 32);
        return {same(first, second, '"'), bits(is_control(first), is_control(second)), same(first, second, '\\')};
    }

    // Sets of bytes, one bit each, looked up by the low and the high half of a byte: a byte is in the sets that both have.
    //   1: " /   2: backslash   4: b f n   8: r t   16: u   32: 0 to 9   64: a to f, A to F   128: d D
    PARTWISE_AVX2 static __m256i sets_of(__m256i bytes) {
        constexpr char hex = 32 | 64, d = static_cast<char>(64 | 128);
        const __m256i lows = _mm256_broadcastsi128_si256(_mm_setr_epi8(32, hex, 1 | 4 | 8 | hex, hex, 8 | 32 | d, 16 | hex, 4 | hex, 32,
                                                                       32, 32, 0, 0, 2, 0, 4, 1));
        const __m256i highs = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 1, 32, d, 2, 4 | d, 8 | 16, 0, 0, 0, 0, 0, 0, 0, 0));
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
        return _mm256_and_si256(_mm256_shuffle_epi8(lows, bytes), _mm256_shuffle_epi8(highs, high));
    }

    PARTWISE_AVX2 static uint64_t in_sets(__m256i first, __m256i second, char sets) {
        const __m256i wanted = _mm256_set1_epi8(sets), none = _mm256_setzero_si256();
        return bits(_mm256_cmpgt_epi8(_mm256_and_si256(first, wanted), none), _mm256_cmpgt_epi8(_mm256_and_si256(second, wanted), none));
    }

    PARTWISE_AVX2 static Escapes escapes(const char* at) {
        const __m256i first = half_block(at), second = half_block(at + 32);
        const __m256i a = sets_of(first), b = sets_of(second);
        return {in_sets(a, b, 1 | 2 | 4 | 8), in_sets(a, b, 16), in_sets(a, b, 32 | 64), bits(a, b)};
    }

    PARTWISE_AVX2 static LengthMarks lengths(const char* at) {
        const __m256i first = half_block(at), second = half_block(at + 32), edge = _mm256_set1_epi8(-64);
        return {bits(_mm256_cmpgt_epi8(edge, first), _mm256_cmpgt_epi8(edge, second)), same(first, second, '\\'),
                same(first, second, 'u'), same(lower(first), lower(second), 'd')};
    }
};

PARTWISE_AVX2 void wide_marks(std::string_view text, int64_t block, int64_t count, StringMarks* marks) {
    marks_of_blocks<Wide>(text, block, count, marks);
}

PARTWISE_AVX2 int64_t wide_characters(std::string_view text) { return characters_of<Wide>(text); }

const bool IS_WIDE = has_avx2();

#endif

}  // namespace

void string_marks(std::string_view text, int64_t block, int64_t count, StringMarks* marks) {
#if defined(PARTWISE_AVX2)
    if (IS_WIDE) return wide_marks(text, block, count, marks);
#endif
    marks_of_blocks<Plain>(text, block, count, marks);
}

int64_t string_characters(std::string_view text) {
#if defined(PARTWISE_AVX2)
    if (IS_WIDE) return wide_characters(text);
#endif
    return characters_of<Plain>(text);
}

}  // namespace partwise
