// Sums that equal NumPy's and Python's bit for bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

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

// The sum rounded once, as Python's math.fsum computes it: the partial sums do not overlap, so that nothing is lost (Shewchuk
// 1997). False if it is not finite, or may not be.
inline bool exact_sum(const double* values, std::size_t count, double& sum) {
    std::vector<double> partials;
    for (std::size_t i = 0; i < count; ++i) {
        double x = values[i];
        std::size_t kept = 0;
        for (double y : partials) {
            if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
            const double high = x + y, low = y - (high - x);
            if (low != 0) partials[kept++] = low;
            x = high;
        }
        if (!std::isfinite(x)) return false;
        partials.resize(kept);
        if (x != 0) partials.push_back(x);
    }
    sum = 0;
    double low = 0;
    std::size_t left = partials.size();
    if (left) sum = partials[--left];
    while (left && low == 0) {
        const double x = sum, y = partials[--left];
        sum = x + y;
        low = y - (sum - x);
    }
    // half of the last digit is rounded to even, unless smaller partial sums decide
    if (left && ((low < 0 && partials[left - 1] < 0) || (low > 0 && partials[left - 1] > 0))) {
        const double y = low * 2, x = sum + y;
        if (y == x - sum) sum = x;
    }
    return true;
}

}  // namespace partwise
