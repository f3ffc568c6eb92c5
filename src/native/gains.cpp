#include "gains.hpp"

#include <algorithm>
#include <numeric>

#include "sums.hpp"

namespace partwise {

namespace {

constexpr double SMALLEST_GAIN = 1e-9;

// The characters seen so far. The text is cut into cells at every edge that will be queried; each cell is taken once, and
// a tree of partial sums gives the characters taken before any edge.
class SeenText {
  public:
    explicit SeenText(Ints edges) : edges_(std::move(edges)) {
        std::sort(edges_.begin(), edges_.end());
        edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
        next_.resize(edges_.size() + 1);
        std::iota(next_.begin(), next_.end(), 0);
        sums_.assign(edges_.size() + 1, 0);
    }

    int64_t place(int64_t position) const {
        return std::lower_bound(edges_.begin(), edges_.end(), position) - edges_.begin();
    }

    void add(int64_t start, int64_t end) {
        if (end <= start) return;
        const int64_t last = place(end);
        for (int64_t cell = free(place(start)); cell < last; cell = free(cell)) {
            const int64_t size = edges_[static_cast<std::size_t>(cell + 1)] - edges_[static_cast<std::size_t>(cell)];
            for (std::size_t i = static_cast<std::size_t>(cell) + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] += size;
            next_[static_cast<std::size_t>(cell)] = cell + 1;
        }
    }

    // The number of seen characters before this edge.
    int64_t until(int64_t place) const {
        int64_t total = 0;
        for (std::size_t i = static_cast<std::size_t>(place); i > 0; i -= i & (~i + 1)) total += sums_[i];
        return total;
    }

  private:
    int64_t free(int64_t cell) {
        while (next_[static_cast<std::size_t>(cell)] != cell) {
            next_[static_cast<std::size_t>(cell)] = next_[static_cast<std::size_t>(next_[static_cast<std::size_t>(cell)])];
            cell = next_[static_cast<std::size_t>(cell)];
        }
        return cell;
    }

    Ints edges_, next_, sums_;
};

class Gaining {
  public:
    Gaining(const Tree& tree, RealView value, SeenText& seen, double alpha)
        : tree_(tree), value_(value), seen_(seen), alpha_(alpha), shown_(static_cast<std::size_t>(value.size), 0) {
        for (int64_t node = 0; node < value.size; ++node) {
            from_.push_back(seen.place(tree.start[node]));
            to_.push_back(seen.place(tree.end[node]));
        }
        unshown_.resize(static_cast<std::size_t>(value.size) + 1);
        std::iota(unshown_.begin(), unshown_.end(), 0);
    }

    void show(int64_t node) {
        for (int64_t i = next_unshown(node); i < tree_.last[node]; i = next_unshown(i)) {
            shown_[static_cast<std::size_t>(i)] = 1;
            unshown_[static_cast<std::size_t>(i)] = i + 1;
        }
    }

    // The value of an element given the characters seen: all of it, none of it, or the new part through its children.
    double worth(int64_t node) {
        const double whole = value_[node];
        const int64_t size = tree_.end[node] - tree_.start[node];
        const int64_t covered = cover(node);
        if (shown_[static_cast<std::size_t>(node)] || (size > 0 && covered == size)) return (1 - alpha_) * whole;
        if (covered == 0) return whole;
        const int64_t last = tree_.last[node];
        const auto count = static_cast<std::size_t>(last - node);
        worth_.assign(count, 0.0);
        partial_.assign(count, 0);
        fresh_of_children_.assign(count, 0.0);
        of_children_.assign(count, 0.0);
        for (int64_t i = node; i < last; ++i) {
            const auto here = static_cast<std::size_t>(i - node);
            const int64_t own = tree_.end[i] - tree_.start[i], seen = cover(i);
            const bool full = shown_[static_cast<std::size_t>(i)] || (own > 0 && seen == own);
            partial_[here] = !full && seen > 0;
            worth_[here] = full ? (1 - alpha_) * value_[i] : value_[i];
            if (here == 0) continue;
            const auto above = static_cast<std::size_t>(tree_.parent[i] - node);
            fresh_of_children_[above] += static_cast<double>(own - seen);
            of_children_[above] += partial_[here] ? 0.0 : worth_[here] * static_cast<double>(own);
        }
        for (int64_t i = last - 1; i >= node; --i) {
            const auto here = static_cast<std::size_t>(i - node);
            if (!partial_[here]) continue;
            const int64_t own_size = tree_.end[i] - tree_.start[i];
            const double own = static_cast<double>(own_size - cover(i)) - fresh_of_children_[here];
            const double fresh = (of_children_[here] + value_[i] * own) / static_cast<double>(own_size);
            worth_[here] = std::min(value_[i], alpha_ * fresh + (1 - alpha_) * value_[i]);
            if (here) of_children_[static_cast<std::size_t>(tree_.parent[i] - node)] += worth_[here] * static_cast<double>(own_size);
        }
        return worth_[0];
    }

  private:
    int64_t cover(int64_t node) const {
        return seen_.until(to_[static_cast<std::size_t>(node)]) - seen_.until(from_[static_cast<std::size_t>(node)]);
    }

    int64_t next_unshown(int64_t node) {
        while (unshown_[static_cast<std::size_t>(node)] != node) {
            unshown_[static_cast<std::size_t>(node)] = unshown_[static_cast<std::size_t>(unshown_[static_cast<std::size_t>(node)])];
            node = unshown_[static_cast<std::size_t>(node)];
        }
        return node;
    }

    const Tree& tree_;
    RealView value_;
    SeenText& seen_;
    double alpha_;
    std::vector<uint8_t> shown_, partial_;
    Ints from_, to_, unshown_;
    std::vector<double> worth_, fresh_of_children_, of_children_;
};

Ints all_edges(const Tree& tree, IntView span_start, IntView span_end) {
    Ints edges;
    for (const IntView& column : {tree.start, tree.end, span_start, span_end})
        edges.insert(edges.end(), column.data, column.data + column.size);
    return edges;
}

}  // namespace

Gains element_gains(const Tree& tree, const GainingRows& rows, double alpha, bool shared) {
    const auto& [value, ideal, nodes, span_offsets, span_start, span_end] = rows;
    SeenText seen(all_edges(tree, span_start, span_end));
    Gaining document(tree, value, seen, alpha);
    const auto ideals = static_cast<std::size_t>(ideal.size);
    std::vector<double> left(ideals);
    for (std::size_t i = 0; i < ideals; ++i) left[i] = value[ideal[static_cast<int64_t>(i)]];
    Gains result{std::vector<double>(static_cast<std::size_t>(nodes.size), 0.0), std::vector<double>(ideals, 0.0)};
    std::vector<std::size_t> related;
    std::vector<double> budgets;
    for (int64_t i = 0; i < nodes.size; ++i) {
        const int64_t node = nodes[i];
        if (node >= 0 && value[node] > 0) {
            const double worth = document.worth(node);
            related.clear();
            budgets.clear();
            for (std::size_t j = 0; j < ideals; ++j) {
                const int64_t other = ideal[static_cast<int64_t>(j)];
                const bool below = other >= node && other < tree.last[node];
                const bool above = other < node && tree.last[other] > node;
                if (shared ? below || above : other == node) {
                    related.push_back(j);
                    budgets.push_back(left[j]);
                }
            }
            const double available = summed(budgets.data(), budgets.size());
            const double gain = std::max(0.0, std::min(worth, available));
            if (gain >= SMALLEST_GAIN) {
                for (const std::size_t j : related) {
                    const double share = gain * left[j] / available;
                    left[j] -= share;
                    result.contributed[j] += share;
                }
                result.gains[static_cast<std::size_t>(i)] = gain;
            }
        }
        if (node >= 0) document.show(node);
        for (int64_t span = span_offsets[i]; span < span_offsets[i + 1]; ++span) seen.add(span_start[span], span_end[span]);
    }
    return result;
}

Gains element_gains(const Trees& trees, const OffsetsOfDocuments& offsets, const GainingRows& rows, double alpha,
                    bool shared) {
    Gains result;
    Ints spans;
    for (int64_t document = 0; document < trees.tree.size; ++document) {
        const int64_t low = trees.offsets[trees.tree[document]], high = trees.offsets[trees.tree[document] + 1];
        const int64_t first = offsets.row[document], last = offsets.row[document + 1];
        const int64_t first_span = rows.span_offsets[first], last_span = rows.span_offsets[last];
        spans.clear();
        for (int64_t row = first; row <= last; ++row) spans.push_back(rows.span_offsets[row] - first_span);
        const Tree tree{trees.nodes.parent.part(low, high), trees.nodes.last.part(low, high),
                        trees.nodes.start.part(low, high), trees.nodes.end.part(low, high)};
        const Gains here = element_gains(tree,
                                         {rows.value.part(offsets.value[document], offsets.value[document] + high - low),
                                          rows.ideal.part(offsets.ideal[document], offsets.ideal[document + 1]),
                                          rows.nodes.part(first, last),
                                          {spans.data(), static_cast<int64_t>(spans.size())},
                                          rows.span_start.part(first_span, last_span),
                                          rows.span_end.part(first_span, last_span)},
                                         alpha, shared);
        result.gains.insert(result.gains.end(), here.gains.begin(), here.gains.end());
        result.contributed.insert(result.contributed.end(), here.contributed.begin(), here.contributed.end());
    }
    return result;
}

void nodes_at(IntView offsets, IntView start, IntView end, IntView depth, IntView document, IntView span_start,
              IntView span_end, int64_t* node) {
    enum : uint8_t { UNKNOWN, SORTED, UNSORTED };
    std::vector<uint8_t> order(static_cast<std::size_t>(std::max<int64_t>(offsets.size, 1)), UNKNOWN);
    for (int64_t i = 0; i < document.size; ++i) {
        const int64_t low = offsets[document[i]], high = offsets[document[i] + 1];
        uint8_t& known = order[static_cast<std::size_t>(document[i])];
        if (known == UNKNOWN) known = std::is_sorted(start.data + low, start.data + high) ? SORTED : UNSORTED;
        const bool sorted = known == SORTED;  // unless the caller built the nodes differently
        const int64_t from = sorted ? std::lower_bound(start.data + low, start.data + high, span_start[i]) - start.data : low;
        int64_t best = -1;
        for (int64_t at = from; at < high && (!sorted || start[at] == span_start[i]); ++at)
            if (start[at] == span_start[i] && end[at] == span_end[i] && (best < 0 || depth[at] > depth[best])) best = at;
        node[i] = best < 0 ? -1 : best - low;
    }
}

}  // namespace partwise
