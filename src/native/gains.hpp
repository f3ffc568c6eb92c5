// Cumulated gain of elements in one document.
#pragma once

#include "spans.hpp"

namespace partwise {



// The nodes of a document in preorder: parent, number behind the last descendant, and span.
struct Tree {
    IntView parent, last, start, end;
};

struct Gains {
    std::vector<double> gains;  // of each result
    std::vector<double> given;  // by each ideal element
};

// The gain of each result in rank order. A result is an element (its number in `nodes`) or only text (-1), and shows
// the spans span_offsets[i]:span_offsets[i+1]. With `shared` it draws on the budgets of all ideal elements above, below
// or equal to it; else on its own alone.
Gains element_gains(const Tree& tree, RealView value, IntView ideal, IntView nodes, IntView span_offsets,
                    IntView span_start, IntView span_end, double alpha, bool shared);

}  // namespace partwise
