// Sums that equal NumPy's bit for bit, and sums that are rounded once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace partwise {

// NumPy's pairwise summation: halves above 128 numbers, eight lanes above 7.
inline double summed(const double* values, std::size_t count) {
    if (count < 8) {
        double total = 0;
        for (std::size_t i = 0; i < count; ++i) total += values[i];
        return total;
    }
    if (count <= 128) {
        double lanes[8];
        std::copy(values, values + 8, lanes);
        std::size_t i = 8;
        for (; i + 8 <= count; i += 8)
            for (std::size_t j = 0; j < 8; ++j) lanes[j] += values[i + j];
        double total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
        for (; i < count; ++i) total += values[i];
        return total;
    }
    std::size_t half = count / 2;
    half -= half % 8;
    return summed(values, half) + summed(values + half, count - half);
}

// A sum of numbers without rounding: a whole number of the smallest double, in digits of 32 bits. Each digit is kept with
// a sign, in 64 bits, so that many numbers are added before what is too large for a digit is carried to the next.
class ExactSum {
  public:
    static constexpr double TOO_LARGE = 0x1p960;

    // Adds a number; false if it is 2^960 or more, infinite or not a number: no sum of others is infinite.
    bool add(double value) {
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        const auto field = static_cast<int>(bits >> 52 & 0x7FF);
        if (field >= 960 + 1023) return false;
        const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
        const uint64_t whole = field ? fraction | uint64_t{1} << 52 : fraction;
        const int power = field ? field - 1 : 0;  // of the lowest bit, in smallest doubles
        const int shift = power % 32;
        int64_t* const at = digits_.data() + power / 32;
        const uint64_t lower = (whole & LOWEST) << shift, upper = (whole >> 32) << shift;  // less than 64 bits each
        const int64_t sign = bits >> 63 ? -1 : 1;
        at[0] += sign * static_cast<int64_t>(lower & LOWEST);
        at[1] += sign * static_cast<int64_t>((lower >> 32) + (upper & LOWEST));
        at[2] += sign * static_cast<int64_t>(upper >> 32);
        if (++added_ == MOST_ADDED) carry();
        return true;
    }

    // The double that is nearest to the sum, the even one of two.
    double rounded() {
        carry();
        const bool is_negative = digits_.back() < 0;
        if (is_negative) {
            for (int64_t& digit : digits_) digit = -digit;
            carry();
        }
        std::size_t last = digits_.size();
        while (last > 0 && digits_[last - 1] == 0) --last;
        if (last == 0) return 0;
        // The highest three digits have at least 65 bits: 53 for the result, and others that decide how to round it.
        const auto digit = [&](std::size_t below) { return below < last ? static_cast<uint64_t>(digits_[last - 1 - below]) : 0; };
        uint64_t high = digit(0) << 32 | digit(1), rest = digit(2) << 32;
        for (std::size_t i = 3; i < last; ++i) rest |= digits_[last - 1 - i] != 0;
        int power = 32 * (static_cast<int>(last) - 2) + LOWEST_POWER;  // of the lowest bit of `high`
        while (!(high >> 63)) {
            high = high << 1 | rest >> 63;
            rest <<= 1;
            --power;
        }
        uint64_t kept = high >> 11;
        const uint64_t dropped = high & 0x7FF;
        if (dropped > 0x400 || (dropped == 0x400 && (rest || kept & 1))) ++kept;
        const double size = std::ldexp(static_cast<double>(kept), power + 11);
        return is_negative ? -size : size;
    }

  private:
    static constexpr uint64_t LOWEST = 0xFFFFFFFFU;
    static constexpr int LOWEST_POWER = -1074;
    static constexpr int64_t MOST_ADDED = int64_t{1} << 29;

    // Makes all digits but the last ones from 0 to 2^32.
    void carry() {
        int64_t carried = 0;
        for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
            const int64_t whole = digits_[i] + carried;
            digits_[i] = whole & static_cast<int64_t>(LOWEST);
            carried = (whole - digits_[i]) / (int64_t{1} << 32);
        }
        digits_.back() += carried;
        added_ = 0;
    }

    std::array<int64_t, 68> digits_{};
    int64_t added_ = 0;
};

// The sum of numbers, rounded once; none if one of them is too large for ExactSum. Most sums are certain from the rounded
// sum and the errors of its steps, which takes a fraction of the time.
std::optional<double> exact_sum(const double* values, std::size_t count);

}  // namespace partwise
