// Random permutations of what NumPy draws, and the ranges of sums after the values of each query are permuted.
#pragma once

#include "pcg64.hpp"
#include "spans.hpp"

namespace partwise {

// Values of `runs` runs by query, run and measure.
struct Grid {
    RealView values;
    int64_t queries, runs, measures;
};

// Items are permuted as Fisher and Yates do: each place, from the last one down to the second, is exchanged with a random
// place up to it. For all permutations together, these are what one call of `numpy.random.Generator.integers` draws with a
// generator in this state: with the arrays of the largest places, `endpoint=True`, and the type that is given below.

// For each trial and measure, the range of the runs' sums over queries, after the values of each query are permuted among
// the runs, of which there are at most MOST_RUNS; all measures share the permutations. Places are of type uint16; those of a
// stream are drawn together. The trials of a stream follow those of the stream before it.
constexpr int64_t MOST_RUNS = 65'535;
void permuted_ranges(const std::vector<Stream>& streams, const Grid& grid, double* ranges);

// For each trial the first `kept` numbers of a permutation of 0 to `count` - 1. Places are of type uint32.
void write_permutations(const Generator& generator, int64_t count, int64_t trials, int64_t kept, int64_t* permutations);

}  // namespace partwise
