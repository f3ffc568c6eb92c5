// Sets of characters: unions, what is new in rank order, and the axis on which all highlighted passages lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace partwise {

using Ints = std::vector<int64_t>;

// A column of a caller.
template <class T>
struct View {
    const T* data;
    int64_t size;
    const T& operator[](int64_t at) const { return data[at]; }
};

using IntView = View<int64_t>;
using RealView = View<double>;

struct Spans {
    Ints owner, start, end;
};

// The union of each owner's spans, sorted by owner and start, empty ones dropped, overlapping ones merged; spans that
// only touch stay two unless `touching`.
Spans merge_spans(IntView owner, IntView start, IntView end, bool touching);

// How many positions each owner covers that no owner of a lower number covers, within the same group.
Ints novel_lengths(IntView owner, IntView group, IntView start, IntView end, int64_t owners);

// The highlighted passages of pair p are offsets[p]:offsets[p+1], sorted and disjoint; `before` is the axis position of
// each passage's start, and one more at the end.
struct Axis {
    IntView offsets, start, end, before;
    int64_t at(int64_t pair, int64_t position) const;
};

// Highlighted characters in each row, and those of them that no earlier row has. Rows own spans by `span_offsets`;
// `pair` is -1 where nothing is judged.
struct Highlighted {
    Ints found, fresh;
};
Highlighted highlighted_rows(IntView pair, IntView span_offsets, IntView start, IntView end, const Axis& axis);

// Whether each row has the group and the spans offsets[i]:offsets[i+1] of an earlier row among within[t]:within[t+1];
// rows need a span.
void repeated_rows(IntView within, IntView group, IntView offsets, IntView start, IntView end, bool* again);

// The results that find a passage, once for each passage they find.
Ints passages_found(IntView pair, IntView position, IntView length, IntView offsets, IntView start, IntView end,
                    int64_t tolerance, bool one);

}  // namespace partwise
