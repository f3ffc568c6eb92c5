// What a choice of intervals can cover at most, if each has a cost.
#pragma once

#include "spans.hpp"

namespace partwise {

// For each set, the intervals offsets[t]:offsets[t+1]: the most positions that some of them cover together, if their costs,
// which are not negative, add up to at most `limit`.
Ints best_cover(IntView offsets, IntView start, IntView end, IntView cost, int64_t limit);

}  // namespace partwise
