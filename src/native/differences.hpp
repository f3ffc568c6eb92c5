// Differences between two runs, query by query.
#pragma once

#include "spans.hpp"

namespace partwise {

// Writes the values of column first[i] minus those of column second[i], one pair after the other; differences that are no
// larger than `equal` are rounding errors, and 0. Column c has values[c * queries : (c + 1) * queries].
void write_differences(RealView values, int64_t queries, IntView first, IntView second, double equal, double* differences);

// Of each row of numbers, as NumPy computes them, bit for bit: the sum, the sum of the sizes, and the standard deviation with
// n-1 (not a number for less than two numbers); the largest less the smallest; how many are above 0, and how many are 0.
struct RowSums {
    std::vector<double> total, size, spread, range;
    Ints positive, zero;
};
RowSums row_sums(RealView numbers, int64_t columns);

// By pair, the sum of the sizes of the differences that are not 0 in these columns, but among those that write_differences
// wrote: what setting them to 0 changes.
std::vector<double> changed_sums(RealView values, int64_t queries, IntView first, IntView second, RealView differences);

}  // namespace partwise
