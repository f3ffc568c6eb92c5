// Random permutations as NumPy makes them, and the ranges of sums after the values of each query are permuted.
#pragma once

#include "pcg64.hpp"
#include "spans.hpp"

namespace partwise {

// Values of `runs` runs by query, run and measure.
struct Grid {
    RealView values;
    int64_t queries, runs, measures;
};

// For each trial and measure, the range of the runs' sums over queries, after the values of each query are permuted among
// the runs; all measures share the permutations. They are those that `numpy.random.Generator.permuted` makes with a
// generator in this state. The trials of a stream follow those of the stream before it, but several streams are drawn side
// by side: eight of them take less than half the time of eight calls.
void permuted_ranges(const std::vector<Stream>& streams, const Grid& grid, double* ranges);

// For each trial the first `kept` numbers of a permutation of 0 to `count` - 1, as `numpy.random.Generator.permuted` makes
// them with a generator in this state.
void write_permutations(const Generator& generator, int64_t count, int64_t trials, int64_t kept, int64_t* permutations);

}  // namespace partwise
