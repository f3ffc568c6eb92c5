// Gains of elements, document by document.
#pragma once

#include "spans.hpp"

namespace partwise {

// The nodes of a document in preorder: parent, one past the number of the last descendant, and span.
struct Tree {
    IntView parent, last, start, end;
};

struct Gains {
    std::vector<double> gains;  // of each result
    std::vector<double> contributed;  // by each ideal element
};

// Ideal elements and results of one document, in rank order. A result is an element (its number in `nodes`) or plain text
// (-1), and shows the spans span_offsets[i]:span_offsets[i+1].
struct GainingRows {
    RealView value;
    IntView ideal, nodes, span_offsets, span_start, span_end;
};

// The gain of each result. With `shared`, it draws on the budgets of all ideal elements that are ancestors or descendants of
// the result or the result itself; otherwise on the result's own budget only.
Gains element_gains(const Tree& tree, const GainingRows& rows, double alpha, bool shared);

// Several documents: document d is tree[d] of the trees, whose nodes are offsets[tree[d]]:offsets[tree[d]+1].
struct Trees {
    IntView offsets;
    Tree nodes;
    IntView tree;
};

// The same for several documents: the values, ideal elements and rows of document d are those between two offsets.
struct OffsetsOfDocuments {
    IntView value, ideal, row;
};
Gains element_gains(const Trees& trees, const OffsetsOfDocuments& offsets, const GainingRows& rows, double alpha,
                    bool shared);

// The node whose span equals each requested span of a document: the deepest if there are several (the first of equally deep
// ones), -1 if there is none.
void nodes_at(IntView offsets, IntView start, IntView end, IntView depth, IntView document, IntView span_start,
              IntView span_end, int64_t* node);

}  // namespace partwise
