// Resampling: how often sums of values with random signs are as large as observed, and how often sets of queries disagree.
#pragma once

#include "signs.hpp"
#include "spans.hpp"

namespace partwise {

// In how many trials the sum of column first[i] minus that of column second[i] is at least reached[i]; the size of this
// difference is compared unless `one_sided`. Column c has values[c * queries : (c + 1) * queries]. A sum is made of at most
// queries / 8 + 10 additions, and has the same bits whatever the other columns and trials are.
Ints flip_counts(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached, bool one_sided);

// Two sets of `size` queries for each trial: orders[2 * size * t : 2 * size * t + size] and the `size` queries after them.
struct QuerySets {
    IntView orders;
    int64_t size;
    int64_t trials() const { return size ? orders.size / (2 * size) : 0; }
};

// How differences are counted: in whole steps of 1 / per_unit, the last of which also has all that are larger. They are
// equal if they are no larger than `equal`, and `slack` steps are added, so that rounding does not lose a step.
struct DifferenceSteps {
    double equal, per_unit, slack;
    int64_t count;
};

// For each measure and step, in how many trials and pairs of runs the means over the first set are as much apart, first
// where the second set does not order the runs the other way round, then where it does. `values` are by query and column;
// the runs of measure m are the columns offsets[m]:offsets[m+1].
Ints swap_counts(const QuerySets& sets, RealView values, IntView offsets, const DifferenceSteps& steps);

}  // namespace partwise
