#include "spans.hpp"

#include <algorithm>
#include <numeric>

namespace partwise {

namespace {

struct Edge {
    int64_t position;
    std::size_t item;  // 2i for the start of span i, 2i + 1 for its end
};

struct Piece {
    int64_t owner, group, start, end;
};

// The next cell that is not covered yet.
int64_t next_free(Ints& next, int64_t cell) {
    while (next[static_cast<std::size_t>(cell)] != cell) {
        next[static_cast<std::size_t>(cell)] = next[static_cast<std::size_t>(next[static_cast<std::size_t>(cell)])];
        cell = next[static_cast<std::size_t>(cell)];
    }
    return cell;
}

// Adds to `novel` the length that each piece covers first; pieces are of one group and not empty. The axis is cut at all
// edges, and the pieces take its cells in the order of their owners. The columns are kept for the next call.
class Cells {
  public:
    void take(const Piece* pieces, std::size_t count, Ints& novel) {
        edges_.clear();
        for (std::size_t i = 0; i < count; ++i) {
            edges_.push_back({pieces[i].start, 2 * i});
            edges_.push_back({pieces[i].end, 2 * i + 1});
        }
        std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.position < b.position; });
        place_.resize(edges_.size());
        position_.clear();
        for (const Edge& edge : edges_) {
            if (position_.empty() || edge.position != position_.back()) position_.push_back(edge.position);
            place_[edge.item] = static_cast<int64_t>(position_.size()) - 1;
        }
        next_.resize(position_.size() + 1);
        std::iota(next_.begin(), next_.end(), 0);
        order_.resize(count);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        const auto by_owner = [&](std::size_t a, std::size_t b) { return pieces[a].owner < pieces[b].owner; };
        if (!std::is_sorted(order_.begin(), order_.end(), by_owner)) std::stable_sort(order_.begin(), order_.end(), by_owner);
        for (const std::size_t i : order_) {
            const int64_t last = place_[2 * i + 1];
            int64_t gained = 0;
            for (int64_t cell = next_free(next_, place_[2 * i]); cell < last; cell = next_free(next_, cell)) {
                const auto at = static_cast<std::size_t>(cell);
                gained = plus(gained, minus(position_[at + 1], position_[at]));
                next_[at] = cell + 1;
            }
            int64_t& total = novel[static_cast<std::size_t>(pieces[i].owner)];
            total = plus(total, gained);
        }
    }

  private:
    std::vector<Edge> edges_;
    Ints place_, position_, next_;
    std::vector<std::size_t> order_;
};

// Inserts each piece where it belongs, which is close if queries have few rows; false, with some pieces still out of order,
// if that takes many moves. Pieces that are equal stay in their order.
template <class Before>
bool sorted_by_few_moves(std::vector<Piece>& pieces, const Before& before) {
    std::size_t moves = 8 * pieces.size();
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        if (!before(pieces[i], pieces[i - 1])) continue;
        const Piece piece = pieces[i];
        std::size_t at = i;
        for (; at > 0 && before(piece, pieces[at - 1]); --at) pieces[at] = pieces[at - 1];
        pieces[at] = piece;
        if (i - at > moves) return false;
        moves -= i - at;
    }
    return true;
}

// Pieces that overlap no other piece of their group count whole; only those that hang together are cut into cells.
void take_pieces(std::vector<Piece>& pieces, Ints& novel) {
    const auto before = [](const Piece& a, const Piece& b) {
        return a.group != b.group ? a.group < b.group : a.start < b.start;
    };
    if (!sorted_by_few_moves(pieces, before)) std::stable_sort(pieces.begin(), pieces.end(), before);
    Cells cells;
    for (std::size_t first = 0; first < pieces.size();) {
        std::size_t last = first + 1;
        int64_t reach = pieces[first].end;
        while (last < pieces.size() && pieces[last].group == pieces[first].group && pieces[last].start < reach)
            reach = std::max(reach, pieces[last++].end);
        const auto add = [&novel](const Piece& piece, int64_t start, int64_t end) {
            int64_t& total = novel[static_cast<std::size_t>(piece.owner)];
            total = plus(total, minus(end, start));
        };
        if (last - first == 1) {
            add(pieces[first], pieces[first].start, pieces[first].end);
        } else if (last - first == 2 && pieces[first].owner <= pieces[first + 1].owner) {
            add(pieces[first], pieces[first].start, pieces[first].end);
            if (pieces[first].end < pieces[first + 1].end) add(pieces[first + 1], pieces[first].end, pieces[first + 1].end);
        } else if (last - first == 2) {
            add(pieces[first + 1], pieces[first + 1].start, pieces[first + 1].end);
            add(pieces[first], pieces[first].start, pieces[first + 1].start);
            if (pieces[first + 1].end < pieces[first].end) add(pieces[first], pieces[first + 1].end, pieces[first].end);
        } else {
            cells.take(&pieces[first], last - first, novel);
        }
        first = last;
    }
}

}  // namespace

Spans merge_spans(IntView owner, IntView start, IntView end, bool touching) {
    std::vector<Piece> pieces;
    for (int64_t i = 0; i < owner.size; ++i)
        if (end[i] > start[i]) pieces.push_back({owner[i], 0, start[i], end[i]});
    const auto before = [](const Piece& a, const Piece& b) {
        return a.owner != b.owner ? a.owner < b.owner : a.start < b.start;
    };
    if (!std::is_sorted(pieces.begin(), pieces.end(), before)) std::stable_sort(pieces.begin(), pieces.end(), before);
    Spans merged;
    for (const Piece& piece : pieces) {
        const bool same = !merged.owner.empty() && merged.owner.back() == piece.owner;
        if (same && (touching ? piece.start <= merged.end.back() : piece.start < merged.end.back())) {
            merged.end.back() = std::max(merged.end.back(), piece.end);
        } else {
            merged.owner.push_back(piece.owner);
            merged.start.push_back(piece.start);
            merged.end.push_back(piece.end);
        }
    }
    return merged;
}

bool are_spans(IntView start, IntView end, int64_t largest) {
    bool good = true;
    for (int64_t i = 0; i < start.size; ++i) good &= 0 <= start[i] && start[i] <= end[i] && end[i] <= largest;
    return good;
}

Ints novel_lengths(IntView owner, IntView group, IntView start, IntView end, int64_t owners) {
    Ints novel(static_cast<std::size_t>(owners), 0);
    // Most groups have one span. Those of higher numbers than this, which no table has, are not counted.
    const auto most = 2 * static_cast<uint64_t>(group.size);
    std::vector<uint8_t> several(most, 0);
    for (int64_t i = 0; i < group.size; ++i) {
        const auto own = static_cast<uint64_t>(group[i]);  // a negative number is higher than all
        if (own < most) several[own] = static_cast<uint8_t>(several[own] + (several[own] < 2));
    }
    std::vector<Piece> pieces;
    for (int64_t i = 0; i < owner.size; ++i) {
        if (end[i] <= start[i]) continue;
        const auto own = static_cast<uint64_t>(group[i]);
        if (own < most && several[own] == 1) {
            int64_t& total = novel[static_cast<std::size_t>(owner[i])];
            total = plus(total, minus(end[i], start[i]));
        } else {
            pieces.push_back({owner[i], group[i], start[i], end[i]});
        }
    }
    take_pieces(pieces, novel);
    return novel;
}

int64_t Axis::at(int64_t pair, int64_t position) const {
    const int64_t floor = offsets[pair];
    int64_t low = floor, high = offsets[pair + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (start[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == floor) return before[floor];
    return plus(before[low - 1], minus(std::min(position, end[low - 1]), start[low - 1]));
}

Highlighted highlighted_rows(IntView pair, IntView span_offsets, IntView start, IntView end, const Axis& axis) {
    const auto rows = static_cast<std::size_t>(pair.size);
    Highlighted rows_found{Ints(rows, 0), Ints(rows, 0)};
    std::vector<Piece> pieces;
    for (int64_t row = 0; row < pair.size; ++row) {
        if (pair[row] < 0) continue;
        for (int64_t span = span_offsets[row]; span < span_offsets[row + 1]; ++span) {
            const int64_t low = axis.at(pair[row], start[span]), high = axis.at(pair[row], end[span]);
            if (high <= low) continue;
            int64_t& total = rows_found.found[static_cast<std::size_t>(row)];
            total = plus(total, minus(high, low));
            pieces.push_back({row, 0, low, high});  // pairs do not overlap on the axis, so one group is enough
        }
    }
    take_pieces(pieces, rows_found.fresh);
    return rows_found;
}

LimitedHighlights::LimitedHighlights(const SpansRead& spans, const Axis& axis) : spans_(spans), axis_(axis) {
    for (int64_t row = 0; row < spans.pair.size; ++row) {
        if (spans.pair[row] < 0) continue;
        for (int64_t span = spans.offsets[row]; span < spans.offsets[row + 1]; ++span) {
            const int64_t low = axis.at(spans.pair[row], spans.start[span]);
            const int64_t high = axis.at(spans.pair[row], plus(spans.start[span], spans.size[span]));
            if (high > low) parts_.push_back({row, span, low, high});
        }
    }
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.low < b.low; });
}

Highlighted LimitedHighlights::within(int64_t limit, bool whole_rows) const {
    const auto rows = static_cast<std::size_t>(spans_.pair.size);
    Highlighted rows_found{Ints(rows, 0), Ints(rows, 0)};
    std::vector<Piece> pieces;
    for (const Part& part : parts_) {
        const int64_t size = spans_.size[part.span];
        const int64_t read = whole_rows ? (spans_.ended[part.span] <= limit ? size : 0) : minus(limit, spans_.passed[part.span]);
        if (read <= 0) continue;
        const int64_t high = read >= size ? part.high : axis_.at(spans_.pair[part.row], plus(spans_.start[part.span], read));
        if (high <= part.low) continue;
        int64_t& total = rows_found.found[static_cast<std::size_t>(part.row)];
        total = plus(total, minus(high, part.low));
        pieces.push_back({part.row, 0, part.low, high});
    }
    take_pieces(pieces, rows_found.fresh);
    return rows_found;
}

void repeated_rows(IntView within, IntView group, IntView offsets, IntView start, IntView end, bool* again) {
    repeated_rows_by(
        within, offsets, start, end, again, [&](int64_t row) { return static_cast<uint64_t>(group[row]); },
        [&](int64_t a, int64_t b) { return group[a] == group[b]; });
}

Ints passages_found(IntView pair, IntView position, IntView length, IntView offsets, IntView start, IntView end,
                    int64_t tolerance, bool one) {
    std::vector<uint8_t> found(static_cast<std::size_t>(start.size), 0);
    Ints finders;
    for (int64_t i = 0; i < pair.size; ++i) {
        int64_t at = position[i];
        if (at >= length[i]) continue;
        // Passages are sorted and disjoint: those that end at or before the position come first.
        const int64_t* first = std::upper_bound(end.data + offsets[pair[i]], end.data + offsets[pair[i] + 1], at);
        for (int64_t passage = first - end.data; passage < offsets[pair[i] + 1]; ++passage) {
            if (end[passage] <= at) continue;
            if (minus(start[passage], at) >= tolerance) break;
            at = end[passage];
            if (!found[static_cast<std::size_t>(passage)]) {
                found[static_cast<std::size_t>(passage)] = 1;
                finders.push_back(i);
                if (one) break;
            }
        }
    }
    return finders;
}

}  // namespace partwise
