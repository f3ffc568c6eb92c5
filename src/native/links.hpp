// Who has text in common with whom, and products along the links of a target.
#pragma once

#include "spans.hpp"

namespace partwise {

// Owners of spans: owner i belongs to group[i] and has the spans offsets[i]:offsets[i+1], which are disjoint.
struct Owners {
    IntView group, offsets, start, end;
};

// Pairs of an owner of either kind, by the first and then the second, and how many positions they have in common.
struct Shared {
    Ints first, second, length;
};
Shared shared_lengths(const Owners& a, const Owners& b);

// All pairs of a row of either table that are equal in all columns, by the first and then the second.
struct Pairs {
    Ints first, second;
};
Pairs equal_rows(const std::vector<IntView>& a, const std::vector<IntView>& b);

// Products from the start of each stretch of equal segments down to each value, each stretch by itself; multiplied by
// doubling: each by the product of as many before it, then of twice as many.
void running_products(RealView values, IntView segment, double* products);

}  // namespace partwise
