// Resampling: how often two sets of queries disagree.
#pragma once

#include "spans.hpp"

namespace partwise {

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
