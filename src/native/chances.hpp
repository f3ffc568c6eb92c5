// How many of some independent units are seen, and how an item fares among others in random order.
#pragma once

#include "spans.hpp"

namespace partwise {

// Which units may be seen at which steps: sorted by query, unit and step, with the chances that the unit is seen before
// and after the step. The steps of query t are numbered from 0, there are steps[t]; those of all queries stand one after
// the other in what is found.
struct SeenLinks {
    IntView query, unit, step;
    RealView before, after;
    IntView steps;
};

// After each step, the chance that fewer than need[query] units are seen; and that so few were, with none new, at it.
void chances_below(const SeenLinks& links, IntView need, double* below, double* quiet);

// For each query, the mean over all needs from one unit to units[query] of the expected min(1, need / rank at which so
// many are seen); `rank` is that of each step. With phi(f, k) the sum of min(1, need/k) over the needs up to f, a count of
// f between a step at rank k and the next at rank k' adds phi(f, k) - phi(f, k').
void mean_effort(const SeenLinks& links, IntView rank, IntView units, double* mean);

// For each owner, the mean over all orders of it and its items of the product of the chances of items before it.
std::vector<double> mean_over_orders(IntView owner, RealView chance, int64_t owners);

}  // namespace partwise
