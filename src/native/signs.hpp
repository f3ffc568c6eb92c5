// Random signs of the values of queries.
#pragma once

#include "pcg64.hpp"
#include "spans.hpp"

namespace partwise {

// Random signs, those of eight queries in a byte: value q of trial t keeps its sign if bit q % 8 of
// indices[q / 8 * trials + t] is set.
struct PackedSigns {
    static constexpr int64_t GROUP = 8;  // queries whose signs are one index into a table of sums

    View<uint8_t> indices;
    int64_t queries;
    int64_t groups() const { return (queries + GROUP - 1) / GROUP; }
    int64_t trials() const { return queries ? indices.size / groups() : 0; }
};

// The indices of the trials of all streams. A generator draws a byte for each trial and query, of which the highest bit is
// the sign; these are the numbers that `numpy.random.Generator.integers(0, 2, (trials, queries), numpy.int8)` draws.
std::vector<uint8_t> random_signs(const std::vector<Stream>& streams, int64_t queries);

}  // namespace partwise
