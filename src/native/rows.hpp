// Rows of a run: whether they stand in order, and which judged pair each is.
#pragma once

#include "spans.hpp"

namespace partwise {

// The tie group of each row if rows rise by topic and, within a topic, by rank, and no rank is missing (negative);
// false if they do not.
bool ties_in_order(IntView topic, IntView rank, int64_t* tie);

// The pair of each row: `pair_doc` of topic t is at pair_offsets[t]:pair_offsets[t+1]; -1 where the document is not
// judged for the topic. Documents from `docs` on are judged for none.
void pairs_of(IntView topic, IntView doc, IntView pair_offsets, IntView pair_doc, int64_t docs, int64_t* pair);

}  // namespace partwise
