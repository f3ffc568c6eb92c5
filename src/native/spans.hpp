// Sets of characters: unions, new characters in rank order, and the axis on which all highlighted passages lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace partwise {

using Ints = std::vector<int64_t>;

// A column owned by the caller.
template <class T>
struct View {
    const T* data;
    int64_t size;
    const T& operator[](int64_t at) const { return data[at]; }
    View part(int64_t low, int64_t high) const { return {data + low, high - low}; }
};

using IntView = View<int64_t>;
using RealView = View<double>;

// Sums and differences wrap around as in NumPy, so that no input causes undefined behaviour.
inline int64_t minus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b)); }
inline int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

struct Spans {
    Ints owner, start, end;
};

// The union of each owner's spans: sorted by owner and start, empty spans dropped, overlapping ones merged; spans that only
// touch are merged if `touching`.
Spans merge_spans(IntView owner, IntView start, IntView end, bool touching);

// Whether 0 <= start[i] <= end[i] <= largest for all i.
bool are_spans(IntView start, IntView end, int64_t largest);

// The number of positions each owner covers that no owner with a lower number covers, within the same group.
Ints novel_lengths(IntView owner, IntView group, IntView start, IntView end, int64_t owners);

// The highlighted passages of pair p are offsets[p]:offsets[p+1], sorted and disjoint; `before` is the axis position of
// each passage's start, with the total length as last entry.
struct Axis {
    IntView offsets, start, end, before;
    int64_t at(int64_t pair, int64_t position) const;
};

// Highlighted characters in each row (`found`), and those of them that no earlier row has (`fresh`). Row i has the spans
// span_offsets[i]:span_offsets[i+1]; `pair` is -1 if the document is not judged.
struct Highlighted {
    Ints found, fresh;
};
Highlighted highlighted_rows(IntView pair, IntView span_offsets, IntView start, IntView end, const Axis& axis);

// The spans of rows, in the order in which they are read: `passed` is how much of the query is read before a span, `ended`
// up to the end of its row. Row i has the spans offsets[i]:offsets[i+1].
struct SpansRead {
    IntView pair, offsets, start, size, passed, ended;
};

// The same, if only some of each query is read: the spans are found on the axis once for all limits.
class LimitedHighlights {
  public:
    LimitedHighlights(const SpansRead& spans, const Axis& axis);

    // Up to this limit; the last span is cut. With `whole_rows`, a row is read only if all of it is within the limit.
    Highlighted within(int64_t limit, bool whole_rows) const;

  private:
    struct Part {
        int64_t row, span, low, high;
    };
    SpansRead spans_;
    Axis axis_;
    std::vector<Part> parts_;  // by their place on the axis
};

// Whether each row has the group and the spans offsets[i]:offsets[i+1] of an earlier row among within[t]:within[t+1]; each
// row has at least one span.
void repeated_rows(IntView within, IntView group, IntView offsets, IntView start, IntView end, bool* again);

// The same with groups defined by the caller: `key_of` is a hash of a row's group, `same` compares the groups of two rows.
template <class Key, class Same>
void repeated_rows_by(IntView within, IntView offsets, IntView start, IntView end, bool* again, Key key_of, Same same) {
    constexpr uint64_t factor = 0x9E3779B97F4A7C15u;
    int64_t longest = 0;
    for (int64_t stretch = 0; stretch + 1 < within.size; ++stretch)
        longest = std::max(longest, within[stretch + 1] - within[stretch]);
    uint64_t most = 8;
    while (most < 4 * static_cast<uint64_t>(longest)) most *= 2;
    std::vector<uint32_t> slots(most, 0);  // rows from 1; those of earlier stretches count as none and are not cleared
    const auto equal = [&](int64_t a, int64_t b) {
        const int64_t count = offsets[a + 1] - offsets[a];
        if (offsets[b + 1] - offsets[b] != count) return false;
        for (int64_t i = 0; i < count; ++i)
            if (start[offsets[a] + i] != start[offsets[b] + i] || end[offsets[a] + i] != end[offsets[b] + i]) return false;
        return same(a, b);
    };
    for (int64_t stretch = 0; stretch + 1 < within.size; ++stretch) {
        const int64_t low = within[stretch], high = within[stretch + 1];
        uint64_t capacity = 8;
        while (capacity < 4 * static_cast<uint64_t>(high - low)) capacity *= 2;
        for (int64_t row = low; row < high; ++row) {
            again[row] = false;
            if (offsets[row] == offsets[row + 1]) continue;
            uint64_t key = key_of(row) * factor;
            for (int64_t span = offsets[row]; span < offsets[row + 1]; ++span) {
                key = (key ^ (key >> 31) ^ static_cast<uint64_t>(start[span])) * factor;
                key = (key ^ (key >> 31) ^ static_cast<uint64_t>(end[span])) * factor;
            }
            uint64_t at = (key ^ (key >> 32)) & (capacity - 1);
            while (slots[at] > low && !equal(static_cast<int64_t>(slots[at]) - 1, row)) at = (at + 1) & (capacity - 1);
            if (slots[at] > low)
                again[row] = true;
            else
                slots[at] = static_cast<uint32_t>(row + 1);
        }
    }
}

// The results that find passages, each repeated once per passage it finds.
Ints passages_found(IntView pair, IntView position, IntView length, IntView offsets, IntView start, IntView end,
                    int64_t tolerance, bool one);

}  // namespace partwise
