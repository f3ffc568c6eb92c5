// The trees of several documents as flat columns: their shape, their ideal elements, and paths to their elements.
#pragma once

#include <string_view>

#include "spans.hpp"

namespace partwise {

// The nodes of tree t are offsets[t]:offsets[t+1], in preorder; `parent` counts from 0 in each tree, -1 for the root. For
// each node its depth, and one past the number of its last descendant. False if a parent does not come before its child.
bool tree_shapes(IntView offsets, IntView parent, int64_t* depth, int64_t* last);

// Graded documents: document d is tree[d] of a forest, and its nodes have the grades offsets[d]:offsets[d+1].
struct GradedTrees {
    IntView tree_offsets, last, tree, offsets;
    RealView value;
    View<bool> relevant;
};

// The ideal elements of each document, in document order: of the relevant nodes on the way to every innermost relevant
// node the one of the highest value (the deeper of equal ones), without those inside another.
struct Grouped {
    Ints offsets, items;
};
Grouped ideal_elements(const GradedTrees& graded);

// The trees in which paths are located: `tag` is the code of each node's name among `names`.
struct NamedTrees {
    IntView offsets, last, start, end, tag;
    std::vector<std::string_view> names;
};

constexpr int64_t NOT_A_NODE = -1, NOT_LOCATED = -2;

// Where path paths[path[i]] leads in tree[i]: its element (NOT_A_NODE for a text node or a position in one, NOT_LOCATED if
// it leads nowhere) and its span.
struct Located {
    Ints node, start, end;
};
Located locate_paths(const NamedTrees& trees, const std::vector<std::string_view>& paths, IntView tree, IntView path);


// Texts laid end to end: text i is bytes[offsets[i]:offsets[i+1]].
struct Texts {
    std::vector<uint8_t> bytes;
    Ints offsets{0};
};

// The paths of the elements of several trees, such as /article[1]/sec[2]: the code of each node's path, in the order in
// which paths first occur, their texts, and for each path the code and the texts of what it is without positions.
struct ElementPaths {
    Ints path, label;
    Texts paths, labels;
};

// `parent` is the row of each node's parent, -1 for a root; trees lie one after the other. There are no paths if the columns
// are not trees: if a parent does not come before its child or lies before the root of its tree, or a tag has no name.
ElementPaths element_paths(IntView parent, IntView tag, const std::vector<std::string_view>& names);

}  // namespace partwise
