// The Python extension: arrays in, arrays out. Kernels release the GIL on large inputs. They are documented in
// partwise/kernels/_native.pyi. A name with a leading underscore is not public: partwise/kernels/readers.py wraps it.
// The files named *_module.cpp bind some of them, this file all others.
#include <nanobind/stl/vector.h>

#include <numeric>

#include "chances.hpp"
#include "cover.hpp"
#include "curves.hpp"
#include "finds.hpp"
#include "gains.hpp"
#include "links.hpp"
#include "module.hpp"
#include "rows.hpp"
#include "spans.hpp"
#include "trees.hpp"

namespace nb = nanobind;
using namespace partwise;

namespace {

nb::tuple merged(const IntArray& owner, const IntArray& start, const IntArray& end, bool touching) {
    Spans spans;
    {
        const Unlocked unlocked(owner.size());
        spans = merge_spans(view(owner), view(start), view(end), touching);
    }
    return nb::make_tuple(array(std::move(spans.owner)), array(std::move(spans.start)), array(std::move(spans.end)));
}

bool spans_or_not(const IntArray& start, const IntArray& end, int64_t largest) {
    return are_spans(view(start), view(end), largest);
}

nb::object novel(const IntArray& owner, const IntArray& group, const IntArray& start, const IntArray& end,
                 int64_t owners) {
    Ints lengths;
    {
        const Unlocked unlocked(owner.size());
        lengths = novel_lengths(view(owner), view(group), view(start), view(end), owners);
    }
    return array(std::move(lengths));
}

nb::object axis_positions(const IntArray& pair, const IntArray& position, const IntArray& offsets,
                          const IntArray& start, const IntArray& end, const IntArray& before) {
    const Axis axis{view(offsets), view(start), view(end), view(before)};
    const IntView pairs = view(pair), positions = view(position);
    auto on_axis = std::make_unique<int64_t[]>(pair.size() + 1);
    {
        const Unlocked unlocked(pair.size());
        for (int64_t i = 0; i < pairs.size; ++i) on_axis[static_cast<std::size_t>(i)] = axis.at(pairs[i], positions[i]);
    }
    return array(on_axis.release(), pair.size());
}

nb::tuple highlighted(const IntArray& pair, const IntArray& span_offsets, const IntArray& span_start,
                      const IntArray& span_end, const IntArray& offsets, const IntArray& start, const IntArray& end,
                      const IntArray& before) {
    const Axis axis{view(offsets), view(start), view(end), view(before)};
    Highlighted rows;
    {
        const Unlocked unlocked(pair.size());
        rows = highlighted_rows(view(pair), view(span_offsets), view(span_start), view(span_end), axis);
    }
    return nb::make_tuple(array(std::move(rows.found)), array(std::move(rows.fresh)));
}

nb::object repeated(const IntArray& within, const IntArray& group, const IntArray& offsets, const IntArray& start,
                    const IntArray& end) {
    auto again = std::make_unique<bool[]>(group.size() + 1);
    {
        const Unlocked unlocked(group.size());
        repeated_rows(view(within), view(group), view(offsets), view(start), view(end), again.get());
    }
    return array(again.release(), group.size());
}

nb::object finders(const IntArray& pair, const IntArray& position, const IntArray& length, const IntArray& offsets,
                   const IntArray& start, const IntArray& end, int64_t tolerance, bool one) {
    Ints results;
    {
        const Unlocked unlocked(pair.size() + start.size());
        results = passages_found(view(pair), view(position), view(length), view(offsets), view(start), view(end),
                                 tolerance, one);
    }
    return array(std::move(results));
}

nb::object ordered_ties(const IntArray& query, const IntArray& rank) {
    auto tie = unset<int64_t>(query.size());
    bool in_order;
    {
        const Unlocked unlocked(query.size());
        in_order = ties_in_order(view(query), view(rank), tie.get());
    }
    return in_order ? array(tie.release(), query.size()) : nb::none();
}

nb::tuple neighbours(const NumberArray& column, const IntArray& rows, const IntArray& tie, const IntArray& offsets) {
    const bool is_real = column.dtype() == nb::dtype<double>();
    if (!is_real && column.dtype() != nb::dtype<int64_t>()) throw nb::type_error("neither int64 nor float64");
    const auto size = static_cast<int64_t>(column.size());
    Steps steps;
    {
        const Unlocked unlocked(rows.size());
        steps = is_real ? steps_of(RealView{static_cast<const double*>(column.data()), size}, view(rows), view(tie), view(offsets))
                        : steps_of(IntView{static_cast<const int64_t*>(column.data()), size}, view(rows), view(tie), view(offsets));
    }
    return nb::make_tuple(steps.falls, steps.rises);
}

nb::object judged_pairs(const IntArray& query, const IntArray& doc, const IntArray& pair_offsets,
                        const IntArray& pair_doc, int64_t docs) {
    auto pair = unset<int64_t>(query.size());
    {
        const Unlocked unlocked(query.size());
        pairs_of(view(query), view(doc), view(pair_offsets), view(pair_doc), docs, pair.get());
    }
    return array(pair.release(), query.size());
}

nb::tuple firsts(const IntArray& code, const IntArray& offsets) {
    Firsts result;
    {
        const Unlocked unlocked(code.size());
        result = first_of_each(view(code), view(offsets));
    }
    return nb::make_tuple(array(std::move(result.of_row)), array(std::move(result.first)));
}

nb::object share_of_judged_text(const IntArray& offsets, const IntArray& pair, const IntArray& span_offsets,
                                const IntArray& start, const IntArray& end, int64_t depth, int64_t unknown) {
    JudgedText sums;
    {
        const Unlocked unlocked(pair.size());
        sums = judged_text(view(offsets), view(pair), view(span_offsets), view(start), view(end), depth, unknown);
    }
    return sums.known ? nb::object(nb::make_tuple(sums.billionths, sums.lists)) : nb::none();
}

nb::object precisions(const IntArray& offsets, const IntArray& found, const IntArray& fresh, const IntArray& size,
                      double alpha) {
    auto precision = std::make_unique<double[]>(found.size() + 1);
    {
        const Unlocked unlocked(found.size());
        precision_by_rank({view(offsets), view(found), view(fresh), view(size)}, alpha, precision.get());
    }
    return array(precision.release(), found.size());
}

Natural natural_of(nb::handle value) {
    uint64_t word = 0;
    if (nb::try_cast(value, word)) return Natural(word);
    const nb::int_ number(value);
    const std::size_t size = nb::cast<std::size_t>(number.attr("bit_length")()) / 8 + 1;
    const auto bytes = nb::cast<nb::bytes>(number.attr("to_bytes")(size, "little"));
    return Natural::of_bytes(bytes.c_str(), bytes.size());
}

// `ratio` is alpha as (numerator, denominator), `levels` are (numerators, denominators); numbers of any size.
nb::object best_precisions(const IntArray& offsets, const IntArray& found, const IntArray& fresh, const IntArray& size,
                           double alpha, const nb::tuple& ratio, const IntArray& relevant, const nb::tuple& levels) {
    const Ratio exact{natural_of(ratio[0]), natural_of(ratio[1])};
    const nb::object numerators = levels[0], denominators = levels[1];
    if (nb::len(numerators) != nb::len(denominators)) throw nb::value_error("a level needs numerator and denominator");
    std::vector<Ratio> recalls;
    recalls.reserve(nb::len(numerators));
    for (const nb::handle numerator : numerators) recalls.push_back({natural_of(numerator), Natural()});
    std::size_t level = 0;
    for (const nb::handle denominator : denominators) recalls.at(level++).denominator = natural_of(denominator);
    auto best = std::make_unique<double[]>(relevant.size() * recalls.size() + 1);
    {
        const Unlocked unlocked(found.size());
        best_precision({view(offsets), view(found), view(fresh), view(size)}, alpha, exact, view(relevant), recalls,
                       best.get());
    }
    return table(std::move(best), relevant.size(), recalls.size());
}

nb::tuple gains_of(const nb::object& trees, const IntArray& tree, const IntArray& value_offsets, const RealArray& value,
                   const IntArray& ideal_offsets, const IntArray& ideal, const IntArray& row_offsets, const IntArray& nodes, const IntArray& span_offsets,
                   const IntArray& span_start, const IntArray& span_end, double alpha, bool shared) {
    const IntArray offsets = ints(trees, "offsets"), parent = ints(trees, "parent"), last = ints(trees, "last"),
                   start = ints(trees, "start"), end = ints(trees, "end");
    Gains result;
    {
        const Unlocked unlocked(parent.size() + nodes.size());
        const Trees documents{view(offsets), {view(parent), view(last), view(start), view(end)}, view(tree)};
        const GainingRows rows{view(value), view(ideal), view(nodes), view(span_offsets), view(span_start), view(span_end)};
        result = element_gains(documents, {view(value_offsets), view(ideal_offsets), view(row_offsets)}, rows, alpha, shared);
    }
    return nb::make_tuple(array(std::move(result.gains)), array(std::move(result.contributed)));
}

nb::object nodes_of_spans(const IntArray& offsets, const IntArray& start, const IntArray& end, const IntArray& depth,
                          const IntArray& document, const IntArray& span_start, const IntArray& span_end) {
    auto node = std::make_unique<int64_t[]>(document.size() + 1);
    {
        const Unlocked unlocked(start.size() + document.size());
        nodes_at(view(offsets), view(start), view(end), view(depth), view(document), view(span_start),
                 view(span_end), node.get());
    }
    return array(node.release(), document.size());
}

nb::tuple shapes(const IntArray& offsets, const IntArray& parent) {
    auto depth = std::make_unique<int64_t[]>(parent.size() + 1), last = std::make_unique<int64_t[]>(parent.size() + 1);
    bool in_order;
    {
        const Unlocked unlocked(parent.size());
        in_order = tree_shapes(view(offsets), view(parent), depth.get(), last.get());
    }
    if (!in_order) throw nb::value_error("a parent does not come before its child");
    return nb::make_tuple(array(depth.release(), parent.size()), array(last.release(), parent.size()));
}

nb::tuple ideals(const IntArray& tree_offsets, const IntArray& last, const IntArray& tree, const IntArray& offsets,
                 const RealArray& value, const BoolArray& relevant) {
    Grouped ideal;
    {
        const Unlocked unlocked(value.size());
        ideal = ideal_elements({view(tree_offsets), view(last), view(tree), view(offsets), view(value),
                                {relevant.data(), static_cast<int64_t>(relevant.size())}});
    }
    return nb::make_tuple(array(std::move(ideal.offsets)), array(std::move(ideal.items)));
}

nb::tuple chances(const IntArray& query, const IntArray& unit, const IntArray& step, const RealArray& before,
                  const RealArray& after, const IntArray& steps, const IntArray& need) {
    const SeenLinks links{view(query), view(unit), view(step), view(before), view(after), view(steps)};
    const auto size = static_cast<std::size_t>(std::accumulate(steps.data(), steps.data() + steps.size(), int64_t{0}));
    auto below = std::make_unique<double[]>(size + 1), quiet = std::make_unique<double[]>(size + 1);
    {
        const Unlocked unlocked(16 * query.size());
        chances_below(links, view(need), below.get(), quiet.get());
    }
    return nb::make_tuple(array(below.release(), size), array(quiet.release(), size));
}

nb::object mean_efforts(const IntArray& query, const IntArray& unit, const IntArray& step, const RealArray& before,
                        const RealArray& after, const IntArray& steps, const IntArray& rank, const IntArray& units) {
    const SeenLinks links{view(query), view(unit), view(step), view(before), view(after), view(steps)};
    auto mean = std::make_unique<double[]>(steps.size() + 1);
    {
        const Unlocked unlocked(16 * query.size());
        mean_effort(links, view(rank), view(units), mean.get());
    }
    return array(mean.release(), steps.size());
}

nb::object means_over_orders(const IntArray& owner, const RealArray& chance, int64_t owners) {
    std::vector<double> means;
    {
        const Unlocked unlocked(owner.size());
        means = mean_over_orders(view(owner), view(chance), owners);
    }
    return array(std::move(means));
}

nb::tuple lengths_shared(const IntArray& group_a, const IntArray& offsets_a, const IntArray& start_a, const IntArray& end_a,
                         const IntArray& group_b, const IntArray& offsets_b, const IntArray& start_b,
                         const IntArray& end_b) {
    Shared shared;
    {
        const Unlocked unlocked(start_a.size() + start_b.size());
        shared = shared_lengths({view(group_a), view(offsets_a), view(start_a), view(end_a)},
                                {view(group_b), view(offsets_b), view(start_b), view(end_b)}, false);
    }
    return nb::make_tuple(array(std::move(shared.first)), array(std::move(shared.second)), array(std::move(shared.length)));
}

nb::tuple lengths_first_shared(const IntArray& group_a, const IntArray& offsets_a, const IntArray& start_a,
                               const IntArray& end_a, const IntArray& group_b, const IntArray& offsets_b,
                               const IntArray& start_b, const IntArray& end_b) {
    Shared shared;
    {
        const Unlocked unlocked(start_a.size() + start_b.size());
        shared = shared_lengths({view(group_a), view(offsets_a), view(start_a), view(end_a)},
                                {view(group_b), view(offsets_b), view(start_b), view(end_b)}, true);
    }
    return nb::make_tuple(array(std::move(shared.first)), array(std::move(shared.second)), array(std::move(shared.length)),
                          array(std::move(shared.fresh)));
}

nb::object closest(const IntArray& row, const IntArray& passage, const IntArray& shared, const IntArray& whole,
                   int64_t passages) {
    Ints rows;
    {
        const Unlocked unlocked(row.size());
        rows = closest_finds(view(row), view(passage), view(shared), view(whole), passages);
    }
    return array(std::move(rows));
}

nb::tuple stretches_of(const IntArray& within, const IntArray& pair, const IntArray& span_offsets,
                       const IntArray& span_start, const IntArray& span_end, const IntArray& offsets,
                       const IntArray& start, const IntArray& end, const IntArray& before) {
    const Axis axis{view(offsets), view(start), view(end), view(before)};
    FreshText stretches;
    {
        const Unlocked unlocked(pair.size());
        stretches = fresh_stretches(view(within), view(pair), view(span_offsets), view(span_start), view(span_end), axis);
    }
    return nb::make_tuple(array(std::move(stretches.row)), array(std::move(stretches.before)),
                          array(std::move(stretches.again)), array(std::move(stretches.length)));
}

nb::object covers(const IntArray& offsets, const IntArray& start, const IntArray& end, const IntArray& cost, int64_t limit) {
    Ints covered;
    {
        const Unlocked unlocked(start.size() * start.size());  // the work grows faster than the input
        covered = best_cover(view(offsets), view(start), view(end), view(cost), limit);
    }
    return array(std::move(covered));
}

nb::tuple rows_in_both(const std::vector<IntArray>& a, const std::vector<IntArray>& b) {
    std::vector<IntView> first, second;
    for (const IntArray& column : a) first.push_back(view(column));
    for (const IntArray& column : b) second.push_back(view(column));
    Pairs pairs;
    {
        const Unlocked unlocked(a.empty() ? 0 : a.size() * (a[0].size() + b.at(0).size()));
        pairs = equal_rows(first, second);
    }
    return nb::make_tuple(array(std::move(pairs.first)), array(std::move(pairs.second)));
}

nb::object products_so_far(const RealArray& values, const IntArray& segment) {
    auto products = std::make_unique<double[]>(values.size() + 1);
    {
        const Unlocked unlocked(values.size());
        running_products(view(values), view(segment), products.get());
    }
    return array(products.release(), values.size());
}

}  // namespace

NB_MODULE(_native, module) {
    nb::set_leak_warnings(false);  // objects may live until the interpreter exits; users need no warning about them
    bind_readers(module);
    bind_cells(module);
    bind_documents(module);
    bind_objects(module);
    bind_object_cells(module);
    bind_scores(module);
    bind_resampling(module);
    module.def("merge_spans", &merged, nb::arg("owner"), nb::arg("start"), nb::arg("end"), nb::arg("touching") = false);
    module.def("are_spans", &spans_or_not);
    module.def("novel_lengths", &novel);
    module.def("highlighted_before", &axis_positions);
    module.def("highlighted_rows", &highlighted);
    module.def("repeated_parts", &repeated);
    module.def("passages_found", &finders);
    module.def("ordered_ties", &ordered_ties);
    module.def("falls_and_rises", &neighbours);
    module.def("pairs_of", &judged_pairs);
    module.def("first_of_each", &firsts);
    module.def("judged_text", &share_of_judged_text);
    module.def("precision_by_rank", &precisions);
    module.def("best_precision", &best_precisions);
    module.def("element_gains", &gains_of);
    module.def("nodes_at", &nodes_of_spans);
    module.def("tree_shapes", &shapes);
    module.def("ideal_elements", &ideals);
    module.def("chances_below", &chances);
    module.def("mean_effort", &mean_efforts);
    module.def("mean_over_orders", &means_over_orders);
    module.def("shared_lengths", &lengths_shared);
    module.def("shared_and_fresh", &lengths_first_shared);
    module.def("closest_finds", &closest);
    module.def("fresh_stretches", &stretches_of);
    module.def("best_cover", &covers);
    module.def("equal_rows", &rows_in_both);
    module.def("running_products", &products_so_far);
}
