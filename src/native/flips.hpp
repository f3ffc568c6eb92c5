// How often sums of values with random signs are as large as observed.
#pragma once

#include "signs.hpp"
#include "spans.hpp"

namespace partwise {

// In how many trials the sum of column first[i] minus that of column second[i] is at least reached[i]; the size of this
// difference is compared unless `one_sided`. Column c has values[c * queries : (c + 1) * queries]. A sum is made of at most
// queries / 8 + 10 additions, and has the same bits whatever the other columns and trials are.
Ints flip_counts(const PackedSigns& signs, RealView values, IntView first, IntView second, RealView reached, bool one_sided);

}  // namespace partwise
