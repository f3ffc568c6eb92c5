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

// Ideal elements and results of one document, in rank order. A result is an element (its number in `nodes`) or only text
// (-1), and shows the spans span_offsets[i]:span_offsets[i+1].
struct GainingRows {
    RealView value;
    IntView ideal, nodes, span_offsets, span_start, span_end;
};

// The gain of each result. With `shared` it draws on the budgets of all ideal elements above, below or equal to it; else
// on its own alone.
Gains element_gains(const Tree& tree, const GainingRows& rows, double alpha, bool shared);

// The same for several documents: what belongs to document d is offsets[d]:offsets[d+1] of each column.
struct Trees {
    IntView offsets;
    Tree nodes;
};
Gains element_gains(const Trees& trees, IntView ideal_offsets, IntView row_offsets, const GainingRows& rows, double alpha,
                    bool shared);

// The node that covers exactly each wanted span of a document, the deepest of several (the first of equally deep); -1 if
// there is none. Spans stand document by document.
void nodes_at(IntView offsets, IntView start, IntView end, IntView depth, IntView document, IntView wanted_start,
              IntView wanted_end, int64_t* node);

}  // namespace partwise
