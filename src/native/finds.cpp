#include "finds.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace partwise {

namespace {

// Whether a / b < c / d, exactly; b and d are positive, a and c are not negative.
bool is_less(int64_t a, int64_t b, int64_t c, int64_t d) {
    while (a / b == c / d) {
        a %= b;
        c %= d;
        if (c == 0) return false;
        if (a == 0) return true;
        std::swap(a, d);  // a / b < c / d if d / c < b / a
        std::swap(b, c);
    }
    return a / b < c / d;
}

// The positions of an axis that were shown, as disjoint intervals that do not touch.
class Shown {
  public:
    // Shows [low, high), and calls report(length, is_new) for its stretches, in order.
    template <class Report>
    void show(int64_t low, int64_t high, const Report& report) {
        auto next = intervals_.upper_bound(low);
        if (next != intervals_.begin() && std::prev(next)->second >= low) --next;
        int64_t at = low, first = low, last = high;
        while (next != intervals_.end() && next->first <= high) {
            first = std::min(first, next->first);
            last = std::max(last, next->second);
            if (next->first > at) report(minus(next->first, at), true);
            const int64_t from = std::max(at, next->first), to = std::min(high, next->second);
            if (to > from) report(minus(to, from), false);
            at = std::max(at, to);
            next = intervals_.erase(next);
        }
        if (at < high) report(minus(high, at), true);
        intervals_.emplace(first, last);
    }

  private:
    std::map<int64_t, int64_t> intervals_;
};

}  // namespace

Ints closest_finds(IntView row, IntView passage, IntView shared, IntView whole, int64_t passages) {
    Ints found(static_cast<std::size_t>(passages), -1);
    for (int64_t low = 0, high; low < row.size; low = high) {
        int64_t best = -1;
        for (high = low; high < row.size && row[high] == row[low]; ++high) {
            if (found[static_cast<std::size_t>(passage[high])] >= 0) continue;
            if (best < 0 || is_less(shared[best], whole[best], shared[high], whole[high])) best = high;
        }
        if (best >= 0) found[static_cast<std::size_t>(passage[best])] = row[low];
    }
    return found;
}

FreshText fresh_stretches(IntView within, IntView pair, IntView span_offsets, IntView start, IntView end,
                          const Axis& axis) {
    FreshText stretches;
    for (int64_t query = 0; query + 1 < within.size; ++query) {
        Shown shown;
        for (int64_t row = within[query]; row < within[query + 1]; ++row) {
            if (pair[row] < 0) continue;
            int64_t before = 0, again = 0;
            const int64_t stop = axis.offsets[pair[row] + 1];
            for (int64_t span = span_offsets[row]; span < span_offsets[row + 1]; ++span) {
                const int64_t low = start[span], high = end[span];
                // passages are sorted and disjoint: those that end at or before the span's start come first
                const int64_t* ends = axis.end.data;
                int64_t passage = std::upper_bound(ends + axis.offsets[pair[row]], ends + stop, low) - ends;
                for (; passage < stop && axis.start[passage] < high; ++passage) {
                    const int64_t from = std::max(low, axis.start[passage]), to = std::min(high, axis.end[passage]);
                    if (to <= from) continue;
                    int64_t at = plus(before, minus(from, low));
                    const int64_t on_axis = plus(axis.before[passage], minus(from, axis.start[passage]));
                    shown.show(on_axis, plus(on_axis, minus(to, from)), [&](int64_t length, bool is_new) {
                        if (is_new) {
                            stretches.row.push_back(row);
                            stretches.before.push_back(at);
                            stretches.again.push_back(again);
                            stretches.length.push_back(length);
                        } else {
                            again = plus(again, length);
                        }
                        at = plus(at, length);
                    });
                }
                before = plus(before, minus(high, low));
            }
        }
    }
    return stretches;
}

}  // namespace partwise
