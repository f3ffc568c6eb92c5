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
    View part(int64_t low, int64_t high) const { return {data + low, high - low}; }
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

// The same for any idea of a group: a key that equal ones share, and whether two rows are of the same.
template <class Key, class Same>
void repeated_rows_by(IntView within, IntView offsets, IntView start, IntView end, bool* again, Key key_of, Same same) {
    constexpr uint64_t factor = 0x9E3779B97F4A7C15u;
    std::vector<int32_t> slots;  // rows within the stretch, from 1
    const auto equal = [&](int64_t a, int64_t b) {
        const int64_t count = offsets[a + 1] - offsets[a];
        if (offsets[b + 1] - offsets[b] != count) return false;
        for (int64_t i = 0; i < count; ++i)
            if (start[offsets[a] + i] != start[offsets[b] + i] || end[offsets[a] + i] != end[offsets[b] + i]) return false;
        return same(a, b);
    };
    for (int64_t stretch = 0; stretch + 1 < within.size; ++stretch) {
        const int64_t low = within[stretch], high = within[stretch + 1];
        uint64_t room = 8;
        while (room < 4 * static_cast<uint64_t>(high - low)) room *= 2;
        slots.assign(room, 0);
        for (int64_t row = low; row < high; ++row) {
            again[row] = false;
            if (offsets[row] == offsets[row + 1]) continue;
            uint64_t key = key_of(row) * factor;
            for (int64_t span = offsets[row]; span < offsets[row + 1]; ++span) {
                key = (key ^ (key >> 31) ^ static_cast<uint64_t>(start[span])) * factor;
                key = (key ^ (key >> 31) ^ static_cast<uint64_t>(end[span])) * factor;
            }
            uint64_t at = (key ^ (key >> 32)) & (room - 1);
            while (slots[at] && !equal(low + slots[at] - 1, row)) at = (at + 1) & (room - 1);
            if (slots[at])
                again[row] = true;
            else
                slots[at] = static_cast<int32_t>(row - low + 1);
        }
    }
}

// The results that find a passage, once for each passage they find.
Ints passages_found(IntView pair, IntView position, IntView length, IntView offsets, IntView start, IntView end,
                    int64_t tolerance, bool one);

}  // namespace partwise
