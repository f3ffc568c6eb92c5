#include "links.hpp"

#include <algorithm>
#include <utility>

namespace partwise {

namespace {

constexpr std::ptrdiff_t FEW = 32;  // below this number, spans are checked one by one

struct OwnedSpan {
    int64_t group, start, end, owner;
};

bool by_group(const OwnedSpan& one, const OwnedSpan& other) { return one.group < other.group; }

// The spans of all groups, sorted by group and start, under a tree of maximal ends, so that only overlapping spans are
// visited.
class SpanTree {
  public:
    explicit SpanTree(const Owners& owners) {
        for (int64_t i = 0; i < owners.group.size; ++i)
            for (int64_t span = owners.offsets[i]; span < owners.offsets[i + 1]; ++span)
                spans_.push_back({owners.group[i], owners.start[span], owners.end[span], i});
        sort_by_group();
        for (std::size_t low = 0, high; low < spans_.size(); low = high) {
            for (high = low + 1; high < spans_.size() && spans_[high].group == spans_[low].group;) ++high;
            const auto first = spans_.begin() + static_cast<std::ptrdiff_t>(low);
            const auto last = spans_.begin() + static_cast<std::ptrdiff_t>(high);
            const auto earlier = [](const OwnedSpan& one, const OwnedSpan& other) { return one.start < other.start; };
            if (!std::is_sorted(first, last, earlier)) std::sort(first, last, earlier);
        }
        while (leaves_ < spans_.size()) leaves_ *= 2;
        highest_.assign(2 * leaves_, INT64_MIN);
        for (std::size_t i = 0; i < spans_.size(); ++i) highest_[leaves_ + i] = spans_[i].end;
        for (std::size_t i = leaves_ - 1; i > 0; --i) highest_[i] = std::max(highest_[2 * i], highest_[2 * i + 1]);
    }

    // Calls report(owner, start, end) for what every span of the group shares with [start, end).
    template <class Report>
    void find(int64_t group, int64_t start, int64_t end, const Report& report) const {
        const auto [first, group_end] = of_group(group);
        const auto last = std::partition_point(first, group_end, [&](const OwnedSpan& span) { return span.start < end; });
        const auto look = [&](const OwnedSpan& span) {
            const int64_t low = std::max(span.start, start), high = std::min(span.end, end);
            if (high > low) report(span.owner, low, high);
        };
        if (last - first <= FEW)
            std::for_each(first, last, look);
        else
            visit(1, 0, leaves_, static_cast<std::size_t>(first - spans_.begin()),
                  static_cast<std::size_t>(last - spans_.begin()), start, look);
    }

  private:
    using Place = std::vector<OwnedSpan>::const_iterator;

    // A counting sort if groups are small numbers, as documents are.
    void sort_by_group() {
        int64_t lowest = 0, highest = -1;
        for (const OwnedSpan& span : spans_) {
            lowest = std::min(lowest, span.group);
            highest = std::max(highest, span.group);
        }
        if (lowest < 0 || highest / 8 > static_cast<int64_t>(spans_.size())) {
            std::sort(spans_.begin(), spans_.end(), by_group);
            return;
        }
        begins_.assign(static_cast<std::size_t>(highest) + 2, 0);
        for (const OwnedSpan& span : spans_) ++begins_[static_cast<std::size_t>(span.group) + 1];
        for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
        std::vector<OwnedSpan> sorted(spans_.size());
        Ints next(begins_.begin(), begins_.end() - 1);
        for (const OwnedSpan& span : spans_)
            sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(span.group)]++)] = span;
        spans_.swap(sorted);
    }

    std::pair<Place, Place> of_group(int64_t group) const {
        if (begins_.empty()) return std::equal_range(spans_.begin(), spans_.end(), OwnedSpan{group, 0, 0, 0}, by_group);
        if (group < 0 || group + 1 >= static_cast<int64_t>(begins_.size())) return {spans_.end(), spans_.end()};
        const int64_t* begin = begins_.data() + group;
        return {spans_.begin() + begin[0], spans_.begin() + begin[1]};
    }

    template <class Report>
    void visit(std::size_t node, std::size_t low, std::size_t size, std::size_t first, std::size_t last, int64_t start,
               const Report& report) const {
        if (low >= last || low + size <= first || highest_[node] <= start) return;
        if (size == 1) {
            report(spans_[low]);
            return;
        }
        visit(2 * node, low, size / 2, first, last, start, report);
        visit(2 * node + 1, low + size / 2, size / 2, first, last, start, report);
    }

    std::vector<OwnedSpan> spans_;
    std::size_t leaves_ = 1;
    Ints highest_, begins_;
};

// The rows of some columns.
class Rows {
  public:
    explicit Rows(const std::vector<IntView>& columns) : columns_(columns), size_(columns.empty() ? 0 : columns[0].size) {}

    int64_t size() const { return size_; }

    std::size_t hash(int64_t row) const {
        uint64_t key = 0;
        for (const IntView& column : columns_)
            key = (key ^ (key >> 31) ^ static_cast<uint64_t>(column[row])) * 0x9E3779B97F4A7C15u;
        return static_cast<std::size_t>(key ^ (key >> 29));
    }

    bool equal(int64_t row, const Rows& others, int64_t other) const {
        for (std::size_t column = 0; column < columns_.size(); ++column)
            if (columns_[column][row] != others.columns_[column][other]) return false;
        return true;
    }

  private:
    const std::vector<IntView>& columns_;
    int64_t size_;
};

}  // namespace

Pairs equal_rows(const std::vector<IntView>& a, const std::vector<IntView>& b) {
    const Rows first(a), second(b);
    std::size_t slots = 1;
    while (slots < 2 * static_cast<std::size_t>(second.size())) slots *= 2;
    // A slot holds the first row of its chain plus 1 (0: empty); rows ascend along the chain.
    Ints chain(slots, 0), next(static_cast<std::size_t>(second.size()) + 1, 0);
    for (int64_t row = second.size(); row > 0; --row) {
        int64_t& head = chain[second.hash(row - 1) & (slots - 1)];
        next[static_cast<std::size_t>(row)] = head;
        head = row;
    }
    Pairs pairs;
    for (int64_t row = 0; row < first.size(); ++row) {
        for (int64_t other = chain[first.hash(row) & (slots - 1)]; other; other = next[static_cast<std::size_t>(other)]) {
            if (!first.equal(row, second, other - 1)) continue;
            pairs.first.push_back(row);
            pairs.second.push_back(other - 1);
        }
    }
    return pairs;
}

Shared shared_lengths(const Owners& a, const Owners& b, bool with_fresh) {
    struct Piece {
        int64_t owner, start, end;
    };
    const SpanTree tree(b);
    Shared shared;
    Ints pair, group, start, end;  // the pieces of the pairs
    std::vector<Piece> pieces;
    for (int64_t i = 0; i < a.group.size; ++i) {
        pieces.clear();
        for (int64_t span = a.offsets[i]; span < a.offsets[i + 1]; ++span)
            tree.find(a.group[i], a.start[span], a.end[span],
                      [&](int64_t owner, int64_t low, int64_t high) { pieces.push_back({owner, low, high}); });
        std::sort(pieces.begin(), pieces.end(), [](const Piece& one, const Piece& other) { return one.owner < other.owner; });
        for (std::size_t j = 0; j < pieces.size(); ++j) {
            const int64_t length = minus(pieces[j].end, pieces[j].start);
            if (j && pieces[j].owner == pieces[j - 1].owner) {
                shared.length.back() = plus(shared.length.back(), length);
            } else {
                shared.first.push_back(i);
                shared.second.push_back(pieces[j].owner);
                shared.length.push_back(length);
            }
            if (!with_fresh) continue;
            pair.push_back(static_cast<int64_t>(shared.first.size()) - 1);
            group.push_back(pieces[j].owner);
            start.push_back(pieces[j].start);
            end.push_back(pieces[j].end);
        }
    }
    if (with_fresh) {
        const auto all = [](const Ints& column) { return IntView{column.data(), static_cast<int64_t>(column.size())}; };
        shared.fresh = novel_lengths(all(pair), all(group), all(start), all(end), static_cast<int64_t>(shared.first.size()));
    }
    return shared;
}

void running_products(RealView values, IntView segment, double* products) {
    std::copy(values.data, values.data + values.size, products);
    for (int64_t low = 0, high; low < values.size; low = high) {
        for (high = low + 1; high < values.size && segment[high] == segment[low];) ++high;
        for (int64_t reach = 1; reach < high - low; reach *= 2)
            for (int64_t i = high - 1; i >= low + reach; --i) products[i] *= products[i - reach];
    }
}

}  // namespace partwise
