#include "text.hpp"

#include <charconv>
#include <limits>
#include <string>

#if !defined(__cpp_lib_to_chars)
#include <locale>
#include <sstream>
#endif

#include "vectors.hpp"

namespace partwise {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool spells(const char* begin, const char* end, const char* word) {
    for (; begin < end && *word; ++begin, ++word)
        if ((*begin | 32) != *word) return false;
    return begin == end && !*word;
}

struct Decimal {
    const char* begin;  // after the sign
    bool negative;
    int64_t magnitude;  // the power of ten of the first non-zero digit, clamped
    bool zero;
};

// Whether the token is [sign] digits [. digits] [e [sign] digits], with a digit before or after the point.
bool is_decimal(const char* begin, const char* end, Decimal& decimal) {
    constexpr int64_t far = 1000000000;
    decimal.negative = begin < end && *begin == '-';
    if (begin < end && (*begin == '-' || *begin == '+')) ++begin;
    decimal.begin = begin;
    int64_t whole = 0, digits = 0, leading = 0, first = 0;
    bool significant = false, after_point = false;
    for (; begin < end && (is_digit(*begin) || (*begin == '.' && !after_point)); ++begin) {
        if (*begin == '.') {
            after_point = true;
            continue;
        }
        ++digits;
        whole += !after_point;
        if (!significant && *begin != '0') {
            significant = true;
            first = leading;
        }
        ++leading;
    }
    if (digits == 0) return false;
    int64_t exponent = 0;
    if (begin < end && (*begin | 32) == 'e') {
        ++begin;
        const bool down = begin < end && *begin == '-';
        if (begin < end && (*begin == '-' || *begin == '+')) ++begin;
        if (begin == end) return false;
        for (; begin < end && is_digit(*begin); ++begin)
            if (exponent < far) exponent = 10 * exponent + (*begin - '0');
        if (down) exponent = -exponent;
    }
    if (begin != end) return false;
    decimal.zero = !significant;
    decimal.magnitude = whole - first - 1 + exponent;
    return true;
}

}  // namespace

bool natural_number(const char* begin, const char* end, int64_t& value) {
    if (begin == end) return false;
    while (begin + 1 < end && *begin == '0') ++begin;
    if (end - begin > 18) return false;
    int64_t sum = 0;
    for (; begin < end; ++begin) {
        if (!is_digit(*begin)) return false;
        sum = 10 * sum + (*begin - '0');
    }
    value = sum;
    return true;
}

bool whole_number(const char* begin, const char* end, int64_t& value) {
    const bool negative = begin < end && *begin == '-';
    if (begin < end && (*begin == '-' || *begin == '+')) ++begin;
    if (begin == end || end - begin > 18 || !natural_number(begin, end, value)) return false;
    if (negative) value = -value;
    return true;
}

bool real_number(const char* begin, const char* end, double& value) {
    Decimal decimal;
    if (is_decimal(begin, end, decimal)) {
        double number = 0;
#if defined(__cpp_lib_to_chars)
        const auto result = std::from_chars(decimal.begin, end, number);
        if (result.ec == std::errc::result_out_of_range)
            number = decimal.zero || decimal.magnitude < 0 ? 0.0 : std::numeric_limits<double>::infinity();
#else
        if (decimal.magnitude > 400) {
            number = decimal.zero ? 0.0 : std::numeric_limits<double>::infinity();
        } else if (decimal.magnitude > -400) {
            std::istringstream stream(std::string(decimal.begin, end));
            stream.imbue(std::locale::classic());
            stream >> number;
            if (stream.fail() && decimal.magnitude > 0) number = std::numeric_limits<double>::infinity();
        }
#endif
        value = decimal.negative ? -number : number;
        return true;
    }
    const bool negative = begin < end && *begin == '-';
    if (begin < end && (*begin == '-' || *begin == '+')) ++begin;
    if (!spells(begin, end, "inf") && !spells(begin, end, "infinity")) return false;
    const double infinity = std::numeric_limits<double>::infinity();
    value = negative ? -infinity : infinity;
    return true;
}

bool other_real(const char* begin, const char* end, double& value) {
    // Up to 15 digits are exact as a whole number over a power of ten.
    const bool negative = *begin == '-';
    const char* first = begin + negative;
    const int64_t size = end - first;
    if (size >= 1 && size <= 16) {
        constexpr uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u, dots = 0x2E2E2E2E2E2E2E2Eu;
        int64_t point = size;
        for (int64_t at = 0; at < size; at += 8) {
            const uint64_t word = eight_bytes(first + at) ^ dots;
            const uint64_t marks = (word - ones) & ~word & highs;
            if (marks) {
                const int64_t place = at + (lowest_bit(marks) >> 3);
                if (place < size) point = place;
                break;
            }
        }
        const int64_t places = point < size ? size - point - 1 : 0;
        const int64_t digits = point + places;
        uint64_t whole, part;
        if (digits >= 1 && digits <= 15 && sixteen_digits(first, point, whole) &&
            sixteen_digits(first + point + 1, places, part)) {
            const double magnitude = static_cast<double>(whole * POWERS[places] + part) / TENTHS[places];
            value = negative ? -magnitude : magnitude;
            return true;
        }
    }
    return real_number(begin, end, value);
}

PARTWISE_CLONES int64_t line_ends(std::string_view text) {
    return count_bytes(text, [](char c) { return c == '\n'; });
}

}  // namespace partwise
