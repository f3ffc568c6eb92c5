// Sums that equal NumPy's bit for bit.
#pragma once

#include <algorithm>
#include <cstddef>

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

}  // namespace partwise
