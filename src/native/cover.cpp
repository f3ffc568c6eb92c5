#include "cover.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace partwise {

namespace {

struct Interval {
    int64_t start, end, cost;
};

// A choice of intervals: what it costs, and how many positions it covers.
struct Choice {
    int64_t cost, covered;
};

// The choices that no other one beats, in ascending order of both.
using Frontier = std::vector<Choice>;

// Adds to a frontier all choices of another one that are extended by this cost and cover, within the limit. Choices that
// cannot reach `enough`, which some choice covers, are left out: what is left of the limit covers at most `density`
// positions for each unit of cost, and `rest` in all.
class Merger {
  public:
    double density = 0;
    int64_t rest = 0;

    Merger(int64_t limit, int64_t enough) : limit_(limit), enough_(enough) {}

    void add(Frontier& to, const Frontier& from, int64_t cost, int64_t covered) {
        merged_.clear();
        auto kept = to.begin();
        for (const Choice& choice : from) {
            if (choice.cost > limit_ - cost) break;
            const Choice extended{choice.cost + cost, plus(choice.covered, covered)};
            for (; kept != to.end() && kept->cost <= extended.cost; ++kept) push(*kept);
            push(extended);
        }
        for (; kept != to.end(); ++kept) push(*kept);
        to.swap(merged_);
    }

  private:
    void push(const Choice& choice) {
        if (choice.covered + rest < enough_) return;
        const double most = static_cast<double>(choice.covered) + density * static_cast<double>(limit_ - choice.cost);
        if (most * (1 + 1e-9) + 1 < static_cast<double>(enough_)) return;  // with a margin for rounding
        if (!merged_.empty() && choice.covered <= merged_.back().covered) return;
        if (!merged_.empty() && choice.cost == merged_.back().cost)
            merged_.back() = choice;
        else
            merged_.push_back(choice);
    }

    int64_t limit_, enough_;
    Frontier merged_;
};

// The intervals within the limit that are in no other one of at most the same cost, by start. They alone matter: an
// interval can be replaced by one that contains it.
std::vector<Interval> candidates(std::vector<Interval> intervals, int64_t limit) {
    std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
        if (a.start != b.start) return a.start < b.start;
        return a.end != b.end ? a.end > b.end : a.cost < b.cost;
    });
    std::vector<Interval> kept;
    std::map<int64_t, int64_t> cheapest;  // by end, of intervals that start earlier; costs ascend with the ends
    for (const Interval& interval : intervals) {
        if (interval.end <= interval.start || interval.cost > limit) continue;
        auto next = cheapest.lower_bound(interval.end);
        if (next != cheapest.end() && next->second <= interval.cost) continue;
        if (next != cheapest.end() && next->first == interval.end) next = cheapest.erase(next);
        while (next != cheapest.begin() && std::prev(next)->second >= interval.cost) cheapest.erase(std::prev(next));
        cheapest.emplace_hint(next, interval.end, interval.cost);
        kept.push_back(interval);
    }
    return kept;
}

double density_of(const Interval& interval) {
    const double length = static_cast<double>(minus(interval.end, interval.start));
    return interval.cost == 0 ? std::numeric_limits<double>::infinity() : length / static_cast<double>(interval.cost);
}

// What a good choice covers: intervals that cover much for their cost first, as long as they fit.
int64_t greedy(std::vector<Interval> intervals, int64_t limit) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& a, const Interval& b) { return density_of(a) > density_of(b); });
    Ints owner, start, end;
    for (const Interval& interval : intervals) {
        if (interval.cost > limit) continue;
        limit -= interval.cost;
        owner.push_back(0);
        start.push_back(interval.start);
        end.push_back(interval.end);
    }
    const auto view = [](const Ints& values) { return IntView{values.data(), static_cast<int64_t>(values.size())}; };
    const Spans merged = merge_spans(view(owner), view(start), view(end), true);
    int64_t covered = 0;
    for (std::size_t i = 0; i < merged.start.size(); ++i) covered = plus(covered, minus(merged.end[i], merged.start[i]));
    return covered;
}

// No interval of a best choice is inside another one, so in order of their starts their ends ascend too, and each adds what
// lies beyond the end of the one before it. The intervals are visited by start; `open` has those that reach beyond the
// current start, each with the choices of which it is the last, and `closed` the choices of all others.
int64_t best_of(std::vector<Interval> intervals, int64_t limit) {
    intervals = candidates(std::move(intervals), limit);
    int64_t reached = intervals.empty() ? 0 : intervals.front().start, all = 0, left = limit;
    for (const Interval& interval : intervals) {
        if (interval.end > reached) all = plus(all, minus(interval.end, std::max(interval.start, reached)));
        reached = std::max(reached, interval.end);
        left = left < interval.cost ? -1 : left - interval.cost;
    }
    if (left >= 0 || intervals.empty()) return all;  // the limit allows them all

    struct Last {
        Interval interval;
        Frontier choices;
    };
    // What the intervals from each one on can add: positions for a unit of cost, and positions in all.
    std::vector<double> density(intervals.size() + 1, 0.0);
    Ints rest(intervals.size() + 1, 0);
    for (std::size_t i = intervals.size(); i-- > 0;) {
        const Interval& interval = intervals[i];
        density[i] = std::max(density[i + 1], density_of(interval));
        rest[i] = std::min(minus(reached, interval.start), plus(rest[i + 1], minus(interval.end, interval.start)));
    }
    Merger merger(limit, greedy(intervals, limit));
    Frontier closed{{0, 0}};
    std::vector<Last> open;
    for (std::size_t at = 0; at < intervals.size(); ++at) {
        const Interval& interval = intervals[at];
        merger.density = density[at];
        merger.rest = rest[at];
        for (std::size_t i = open.size(); i-- > 0;) {
            if (open[i].interval.end > interval.start) continue;
            merger.add(closed, open[i].choices, 0, 0);
            open[i] = std::move(open.back());
            open.pop_back();
        }
        Frontier choices;
        merger.density = density[at + 1];
        merger.rest = rest[at + 1];
        merger.add(choices, closed, interval.cost, minus(interval.end, interval.start));
        for (const Last& last : open)
            if (last.interval.start < interval.start && last.interval.end < interval.end)
                merger.add(choices, last.choices, interval.cost, minus(interval.end, last.interval.end));
        open.push_back({interval, std::move(choices)});
    }
    merger.density = 0;
    merger.rest = 0;
    for (const Last& last : open) merger.add(closed, last.choices, 0, 0);
    return closed.back().covered;
}

}  // namespace

Ints best_cover(IntView offsets, IntView start, IntView end, IntView cost, int64_t limit) {
    Ints covered;
    std::vector<Interval> intervals;
    for (int64_t set = 0; set + 1 < offsets.size; ++set) {
        intervals.clear();
        for (int64_t i = offsets[set]; i < offsets[set + 1]; ++i) intervals.push_back({start[i], end[i], cost[i]});
        covered.push_back(best_of(intervals, limit));
    }
    return covered;
}

}  // namespace partwise
