// Overlap between the owners of spans, and running products along the links of a target.
#pragma once

#include "spans.hpp"

namespace partwise {

// Owners of spans: owner i belongs to group[i] and has the spans offsets[i]:offsets[i+1], which are disjoint.
struct Owners {
    IntView group, offsets, start, end;
};

// Pairs of an owner of each kind, sorted by the first and then the second, and the number of positions they share; if
// `with_fresh`, also the number of those that no lower owner of the first kind shares with the second.
struct Shared {
    Ints first, second, length, fresh;
};
Shared shared_lengths(const Owners& a, const Owners& b, bool with_fresh);

// All pairs of a row of each table that are equal in all columns, sorted by the first and then the second.
struct Pairs {
    Ints first, second;
};
Pairs equal_rows(const std::vector<IntView>& a, const std::vector<IntView>& b);

// Running products within each segment (a stretch of equal values of `segment`). Computed by doubling: step k multiplies
// each value by the product of the 2^k values before it.
void running_products(RealView values, IntView segment, double* products);

}  // namespace partwise
