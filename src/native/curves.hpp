// Precision along a ranking, and the best of it at every recall level.
#pragma once

#include <vector>

#include "naturals.hpp"
#include "spans.hpp"

namespace partwise {

// What each row of a text table holds: highlighted characters found, those of them that are new, characters read.
// Rows of query t are offsets[t]:offsets[t+1]. The gain is found - alpha * (found - fresh).
struct TextRows {
    IntView offsets, found, fresh, size;
};

// Gain by characters read, from the first row of its query down to each row.
void precision_by_rank(const TextRows& rows, double alpha, double* precision);

// A fraction of any size: users write them as decimal numbers, which are taken literally.
struct Ratio {
    Natural numerator, denominator;
};

// For each query and level, the best precision from the first row at which recall reaches the level; 0 if none does.
// Levels are fractions, rising. They are decided exactly, in whole numbers: with alpha = p/q, the `ratio`, gains are
// counted in units of 1/q character. Alpha is at most 1 and `fresh` at most `found`. `best` is queries by levels.
void best_precision(const TextRows& rows, double alpha, const Ratio& ratio, IntView relevant,
                    const std::vector<Ratio>& levels, double* best);

}  // namespace partwise
