// The trees of several documents as flat columns: their shape, their ideal elements, and paths to their elements.
#pragma once

#include <string_view>

#include "columns.hpp"
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
    std::vector<int32_t> path;
    Ints label;
    Texts paths, labels;
};

// `parent` is the row of each node's parent, -1 for a root; trees lie one after the other. There are no paths if the columns
// are not trees: if a parent does not come before its child or lies before the root of its tree, or a tag has no name.
template <class Number>
ElementPaths element_paths(View<Number> parent, View<Number> tag, const std::vector<std::string_view>& names);

// Some trees as they are written to a table: `codes` are those of their tags among the names of the table, and the text of
// tree t is bytes bounds[t]:bounds[t+1] of theirs.
struct TreeBatch {
    IntView offsets, tag, codes, parent, start, end, bounds;
    int64_t trees() const { return offsets.size - 1; }
};

// The nodes of several batches, a row each: the number of its tree, its number in it, and so on.
struct NodeRows {
    Buffer<int32_t> tree, preorder, parent, depth, tag, start, end;
    ElementPaths paths;
    Ints label_counts;            // the number of nodes with each label
    Buffer<int32_t> text_bounds;  // row r has the bytes text_bounds[r]:text_bounds[r+1] of all texts
    Buffer<uint8_t> has_text;     // a bit for each row: only the first of a tree has
};

// False if the columns are not trees.
bool node_rows(const std::vector<TreeBatch>& batches, const std::vector<std::string_view>& names, NodeRows& rows);

}  // namespace partwise
