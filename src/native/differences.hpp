// Differences between two runs, query by query.
#pragma once

#include "spans.hpp"

namespace partwise {

// Writes the values of column first[i] minus those of column second[i], one pair after the other; differences that are no
// larger than `equal` are rounding errors, and 0. Column c has values[c * queries : (c + 1) * queries].
void write_differences(RealView values, int64_t queries, IntView first, IntView second, double equal, double* differences);

}  // namespace partwise
