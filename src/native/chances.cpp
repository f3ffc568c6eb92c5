#include "chances.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "sums.hpp"

namespace partwise {

namespace {

using Reals = std::vector<double>;

std::size_t at(int64_t place) { return static_cast<std::size_t>(place); }

// The factor (unseen + seen z) at the moments first .. last-1.
struct Factor {
    int64_t first, last;
    double unseen, seen;
};

// Coefficients low .. high-1 of a polynomial; all others are zero.
struct Counts {
    double* of;
    int64_t low, high;

    void copy(const Counts& other) {
        low = other.low;
        high = other.high;
        std::copy(other.of + low, other.of + high, of + low);
    }

    // Coefficients from `width` on are dropped: no lower one depends on them.
    void multiply(double unseen, double seen, int64_t width) {
        if (low == high) return;
        const double top = of[high - 1] * seen;
        for (int64_t i = high - 1; i > low; --i) of[i] = of[i] * unseen + of[i - 1] * seen;
        of[low] *= unseen;
        if (high < width) of[high++] = top;
        while (low < high && of[high - 1] == 0) --high;
        while (low < high && of[low] == 0) ++low;
    }
};

// The products of the factors at every moment of a query. Moments are the leaves of a tree; a factor is multiplied in at
// the nodes that make up its interval, and the tree is traversed with one row of coefficients per level.
class Products {
  public:
    // Calls visit(moment, counts) for all moments in order, with the coefficients below `width`.
    template <class Visit>
    void walk(const std::vector<Factor>& factors, int64_t moments, int64_t width, const Visit& visit) {
        width_ = std::min(width, most_at_once(factors, moments) + 1);
        int64_t leaves = 1, levels = 2;  // the first row is the empty product
        for (; leaves < moments; leaves *= 2) ++levels;
        reserve(levels * width_);
        place(factors, leaves);
        rows_[0] = 1.0;
        descend(factors, 1, 0, leaves, moments, {rows_.get(), 0, 1}, visit, 1);
    }

  private:
    int64_t most_at_once(const std::vector<Factor>& factors, int64_t moments) {
        begins_.assign(at(moments) + 1, 0);
        for (const Factor& factor : factors) {
            ++begins_[at(factor.first)];
            --begins_[at(factor.last)];
        }
        int64_t now = 0, most = 0;
        for (const int64_t change : begins_) most = std::max(most, now += change);
        return most;
    }

    void reserve(int64_t size) {
        if (size <= reserved_) return;
        rows_.reset(new double[at(size)]);
        reserved_ = size;
    }

    // Lists the factors of each node in order; node 1 is the root, the children of node i are 2i and 2i+1.
    void place(const std::vector<Factor>& factors, int64_t leaves) {
        begins_.assign(at(2 * leaves) + 1, 0);
        each_node(factors, leaves, [&](int64_t node, std::size_t) { ++begins_[at(node) + 1]; });
        for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
        placed_.resize(at(begins_.back()));
        next_.assign(begins_.begin(), begins_.end() - 1);
        each_node(factors, leaves, [&](int64_t node, std::size_t i) { placed_[at(next_[at(node)]++)] = i; });
    }

    template <class Put>
    static void each_node(const std::vector<Factor>& factors, int64_t leaves, Put put) {
        for (std::size_t i = 0; i < factors.size(); ++i) {
            int64_t left = factors[i].first + leaves, right = factors[i].last + leaves;
            for (; left < right; left /= 2, right /= 2) {
                if (left % 2) put(left++, i);
                if (right % 2) put(--right, i);
            }
        }
    }

    template <class Visit>
    void descend(const std::vector<Factor>& factors, int64_t node, int64_t first, int64_t size, int64_t moments,
                 Counts counts, const Visit& visit, int64_t level) {
        if (first >= moments) return;
        if (begins_[at(node)] < begins_[at(node) + 1]) {
            Counts own{rows_.get() + level * width_, 0, 0};
            own.copy(counts);
            for (int64_t i = begins_[at(node)]; i < begins_[at(node) + 1]; ++i) {
                const Factor& factor = factors[placed_[at(i)]];
                own.multiply(factor.unseen, factor.seen, width_);
            }
            counts = own;
        }
        if (size == 1) {
            visit(first, counts);
            return;
        }
        descend(factors, 2 * node, first, size / 2, moments, counts, visit, level + 1);
        descend(factors, 2 * node + 1, first + size / 2, size / 2, moments, counts, visit, level + 1);
    }

    int64_t width_ = 0, reserved_ = 0;
    std::unique_ptr<double[]> rows_;
    Ints begins_, next_;
    std::vector<std::size_t> placed_;
};

// The links of a query whose unit is not certain to be seen yet.
class OpenLinks {
  public:
    struct Link {
        int64_t unit, step;
        double before, after;
        int64_t until;  // the step of the unit's next link
    };

    // Takes the links of the query starting at `next`, and advances `next` past them.
    void read(const SeenLinks& links, int64_t query, int64_t& next) {
        const int64_t steps = links.steps[query];
        links_.clear();
        added_.assign(at(steps), 0);
        for (; next < links.query.size && links.query[next] == query; ++next) {
            if (!(links.before[next] < 1)) continue;
            const Link link{links.unit[next], links.step[next], links.before[next], links.after[next], steps};
            if (!links_.empty() && links_.back().unit == link.unit) links_.back().until = link.step;
            links_.push_back(link);
            if (link.after >= 1) ++added_[at(link.step)];
        }
    }

    const std::vector<Link>& links() const { return links_; }

    // The number of units that become certain at a step.
    int64_t added(int64_t step) const { return added_[at(step)]; }

  private:
    std::vector<Link> links_;
    Ints added_;
};

// Merges moments between which no factor changes, and keeps only those that are requested.
class Moments {
  public:
    // The moments of `factors` are renumbered; factors that hold at no kept moment are dropped.
    void merge(std::vector<Factor>& factors, int64_t moments, const Ints& asked) {
        kept_before_.assign(at(moments) + 1, 0);
        for (const Factor& factor : factors) {
            kept_before_[at(factor.first)] = 1;
            kept_before_[at(factor.last)] = 1;
        }
        // First: whether a factor changes at each moment. Then: the number of kept moments before it.
        of_asked_.clear();
        std::size_t next = 0;
        int64_t kept = 0;
        bool requested = false;
        for (int64_t moment = 0; moment <= moments; ++moment) {
            if (kept_before_[at(moment)]) {
                kept += requested;
                requested = false;
            }
            kept_before_[at(moment)] = kept;
            if (next < asked.size() && asked[next] == moment) {
                of_asked_.push_back(kept);
                requested = true;
                ++next;
            }
        }
        count_ = kept + requested;
        kept_before_[at(moments)] = count_;
        std::size_t used = 0;
        for (Factor factor : factors) {
            factor.first = kept_before_[at(factor.first)];
            factor.last = kept_before_[at(factor.last)];
            if (factor.first < factor.last) factors[used++] = factor;
        }
        factors.resize(used);
    }

    int64_t count() const { return count_; }

    // The new number of each requested moment.
    const Ints& of_asked() const { return of_asked_; }

  private:
    Ints kept_before_, of_asked_;
    int64_t count_ = 0;
};

// The sum of min(1, need/rank) over the needs from 1 to count; 0 at an infinite rank.
double summed_efforts(double count, double rank) {
    const double within = std::min(count, rank);
    return within * (within + 1) / (2 * rank) + (count - within);
}

}  // namespace

void chances_below(const SeenLinks& links, IntView need, double* below, double* quiet) {
    OpenLinks open;
    Moments moments;
    Products products;
    std::vector<Factor> factors;
    Ints most, asked;
    Reals chance;
    int64_t next = 0;
    for (int64_t query = 0; query < links.steps.size; ++query) {
        const int64_t steps = links.steps[query];
        open.read(links, query, next);
        // Moments: 2j is "nothing new at step j", 2j+1 is "after step j".
        factors.clear();
        for (const auto& link : open.links())
            if (link.after < 1) factors.push_back({2 * link.step + 1, 2 * link.until, 1 - link.after, link.after});
        for (const auto& link : open.links()) factors.push_back({2 * link.step, 2 * link.step + 1, 1 - link.after, link.before});
        most.assign(at(2 * steps), 0);
        int64_t certain = 0;
        for (int64_t step = 0; step < steps; ++step) {
            most[at(2 * step)] = need[query] - 1 - certain;
            certain += open.added(step);
            most[at(2 * step + 1)] = need[query] - 1 - certain;
        }
        for (const auto& link : open.links())
            if (link.after >= 1 && link.before <= 0) most[at(2 * link.step)] = -1;
        asked.clear();
        int64_t highest = 0;
        for (int64_t moment = 0; moment < 2 * steps; ++moment) {
            if (most[at(moment)] < 0) continue;
            asked.push_back(moment);
            highest = std::max(highest, most[at(moment)]);
        }
        moments.merge(factors, 2 * steps, asked);
        chance.assign(at(2 * steps), 0.0);
        std::size_t i = 0;
        products.walk(factors, moments.count(), highest + 1, [&](int64_t moment, const Counts& counts) {
            int64_t summed = -1;
            double sum = 0;
            for (; i < asked.size() && moments.of_asked()[i] == moment; ++i) {
                const int64_t until = most[at(asked[i])];
                if (until != summed) {
                    sum = 0;
                    for (int64_t count = counts.low; count < std::min(counts.high, until + 1); ++count) sum += counts.of[count];
                    summed = until;
                }
                chance[at(asked[i])] = std::min(sum, 1.0);
            }
        });
        for (int64_t step = 0; step < steps; ++step) {
            *quiet++ = chance[at(2 * step)];
            *below++ = chance[at(2 * step + 1)];
        }
    }
}

void mean_effort(const SeenLinks& links, IntView rank, IntView units, double* mean) {
    OpenLinks open;
    Moments moments;
    Products products;
    std::vector<Factor> factors;
    Ints asked, certain;
    Reals part, effort;  // by count, and by step
    int64_t next = 0, begin = 0;
    for (int64_t query = 0; query < links.steps.size; begin += links.steps[query++]) {
        const int64_t steps = links.steps[query];
        open.read(links, query, next);
        factors.clear();
        for (const auto& link : open.links())
            if (link.after < 1) factors.push_back({link.step, link.until, 1 - link.after, link.after});
        asked.clear();
        certain.clear();
        int64_t sure = 0;
        for (int64_t step = 0; step < steps; ++step) {
            asked.push_back(step);
            certain.push_back(sure += open.added(step));
        }
        moments.merge(factors, steps, asked);
        effort.assign(at(steps), 0.0);
        std::size_t step = 0;
        const auto all = std::numeric_limits<int64_t>::max();
        products.walk(factors, moments.count(), all, [&](int64_t moment, const Counts& counts) {
            part.resize(at(counts.high));
            for (; step < asked.size() && moments.of_asked()[step] == moment; ++step) {
                const int64_t place = begin + static_cast<int64_t>(step);
                const bool is_last = step + 1 == asked.size();
                const auto sure_now = static_cast<double>(certain[step]), here = static_cast<double>(rank[place]);
                const double following = is_last ? std::numeric_limits<double>::infinity() : static_cast<double>(rank[place + 1]);
                for (int64_t i = counts.low; i < counts.high; ++i) {
                    const double count = sure_now + static_cast<double>(i);
                    part[at(i)] = (summed_efforts(count, here) - summed_efforts(count, following)) * counts.of[i];
                }
                double sum = 0;
                for (int64_t i = counts.low; i < counts.high; ++i) sum += part[at(i)];
                effort[step] = sum;
            }
        });
        // The first number plus the sum of the others, as NumPy's reduceat adds a segment.
        const double total = steps > 0 ? effort[0] + summed(effort.data() + 1, effort.size() - 1) : 0.0;
        mean[query] = total / static_cast<double>(units[query]);
    }
}

Reals mean_over_orders(IntView owner, RealView chance, int64_t owners) {
    Ints begin(at(owners) + 1, 0);
    for (int64_t i = 0; i < owner.size; ++i) ++begin[at(owner[i]) + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    Reals ordered(at(owner.size)), means, result;
    Ints next(begin.begin(), begin.end() - 1);
    for (int64_t i = 0; i < owner.size; ++i) ordered[at(next[at(owner[i])]++)] = chance[i];
    for (std::size_t i = 0; i < at(owners); ++i) {
        // For each size, the mean over subsets of the items so far of the product of their probabilities.
        means.assign(1, 1.0);
        const int64_t count = begin[i + 1] - begin[i];
        for (int64_t number = 1; number <= count; ++number) {
            const auto whole = static_cast<double>(number);
            const double q = ordered[at(begin[i] + number - 1)];
            means.push_back(0.0);
            for (int64_t size = number; size > 0; --size) {
                const auto part = static_cast<double>(size);
                means[at(size)] = (means[at(size)] * (whole - part) + part * q * means[at(size - 1)]) / whole;
            }
        }
        double sum = 0;
        for (const double mean : means) sum += mean;
        result.push_back(sum / static_cast<double>(count + 1));
    }
    return result;
}

}  // namespace partwise
