// Passages found by results, and relevant text as a reader meets it.
#pragma once

#include "spans.hpp"

namespace partwise {

// The row that finds each passage, -1 if none does. Match i says that row[i] may find passage[i]; rows ascend. A row finds
// one passage: of those that no earlier row found, the one with the highest shared / whole, the first if several have it.
Ints closest_finds(IntView row, IntView passage, IntView shared, IntView whole, int64_t passages);

// Relevant text that no earlier row of the query shows, as rows show it: each stretch of it with its row, the number of
// positions of the row before it, how many of these are relevant and were shown before, and its length. Queries are the
// rows within[t]:within[t+1]; the other columns are those of highlighted_rows.
struct FreshText {
    Ints row, before, again, length;
};
FreshText fresh_stretches(IntView within, IntView pair, IntView span_offsets, IntView start, IntView end, const Axis& axis);

}  // namespace partwise
