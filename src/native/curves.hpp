// Precision at every rank, and the best precision at every recall level.
#pragma once

#include <vector>

#include "naturals.hpp"
#include "spans.hpp"

namespace partwise {

// The rows of a text table: highlighted characters found, how many of them are new, and characters read.
// Rows of query t are offsets[t]:offsets[t+1]. The gain is found - alpha * (found - fresh).
struct TextRows {
    IntView offsets, found, fresh, size;
};

// Gain divided by characters read, from the first row of the query to each row.
void precision_by_rank(const TextRows& rows, double alpha, double* precision);

// The gain of the first `cutoff` rows of each query; `size` is not needed.
void gains_at(const TextRows& rows, int64_t cutoff, double alpha, double* gains);

// A fraction of any size: decimal numbers that users write are taken literally.
struct Ratio {
    Natural numerator, denominator;
};

// For each query and level, the best precision from the first row at which recall reaches the level; 0 if it never does.
// Levels are fractions in ascending order. They are compared exactly, in integers: with alpha = p/q, the `ratio`, gains are
// counted in units of 1/q character. Alpha is at most 1 and `fresh` at most `found`. `best` is queries by levels.
void best_precision(const TextRows& rows, double alpha, const Ratio& ratio, IntView relevant,
                    const std::vector<Ratio>& levels, double* best);

}  // namespace partwise
