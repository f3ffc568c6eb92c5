// The distribution of the number of independent units seen, and means over random orders of items.
#pragma once

#include "spans.hpp"

namespace partwise {

// Which units may be seen at which steps: sorted by query, unit and step, with the probabilities that the unit is seen
// before and after the step. Query t has steps[t] steps, numbered from 0; results hold the steps of all queries one after
// the other.
struct SeenLinks {
    IntView query, unit, step;
    RealView before, after;
    IntView steps;
};

// The probability that fewer than need[query] units are seen after each step (`below`), and that in addition no unit was
// seen for the first time at the step (`quiet`).
void chances_below(const SeenLinks& links, IntView need, double* below, double* quiet);

// For each query, the mean over all needs from one unit to units[query] of the expected min(1, need / rank at which that
// many units are seen); `rank` is the rank of each step. With phi(f, k) the sum of min(1, need/k) over the needs up to f, a count of
// f between a step at rank k and the next at rank k' adds phi(f, k) - phi(f, k').
void mean_effort(const SeenLinks& links, IntView rank, IntView units, double* mean);

// For each owner, the mean, over all orders of the owner and its items, of the product of the probabilities of the items
// before the owner.
std::vector<double> mean_over_orders(IntView owner, RealView chance, int64_t owners);

}  // namespace partwise
