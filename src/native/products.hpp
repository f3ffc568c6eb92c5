// Products along stretches.
#pragma once

#include "spans.hpp"

namespace partwise {

// Products from the start of each stretch of equal segments down to each value, each stretch by itself; multiplied in the
// order of the reference, by doubling.
void running_products(RealView values, IntView segment, double* products);

}  // namespace partwise
