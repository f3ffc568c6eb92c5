// What Python sees: arrays in, arrays out. Kernels with much to do run outside the interpreter's lock. What each kernel
// does is documented in partwise/kernels/_native.pyi. A name with a leading underscore is not a kernel by itself: classes
// and functions of partwise/kernels/readers.py use it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <optional>

#include "chances.hpp"
#include "columns.hpp"
#include "curves.hpp"
#include "gains.hpp"
#include "links.hpp"
#include "memory.hpp"
#include "names.hpp"
#include "rows.hpp"
#include "spans.hpp"
#include "queries.hpp"

namespace nb = nanobind;
using namespace partwise;

namespace {

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntArray = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using KeyArray = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using RealArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Lets go of the interpreter's lock where there is enough to do: for less, getting it back may take longer than the work.
class Unlocked {
  public:
    explicit Unlocked(std::size_t items) {
        if (items >= 2000) unlocked_.emplace();
    }

  private:
    std::optional<nb::gil_scoped_release> unlocked_;
};

std::string_view text_of(const Bytes& data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

IntView view(const IntArray& column) { return {column.data(), static_cast<int64_t>(column.size())}; }
RealView view(const RealArray& column) { return {column.data(), static_cast<int64_t>(column.size())}; }

template <class T>
nb::object array(T* data, std::size_t size) {
    nb::capsule owner(data, [](void* held) noexcept { delete[] static_cast<T*>(held); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

nb::object table(std::unique_ptr<double[]> values, std::size_t rows, std::size_t columns) {
    double* data = values.release();
    nb::capsule owner(data, [](void* held) noexcept { delete[] static_cast<double*>(held); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(data, {rows, columns}, owner));
}

template <class T>
nb::object array(Buffer<T>& buffer) {
    const auto size = static_cast<std::size_t>(buffer.size());
    T* data = buffer.release();
    return array(data ? data : new T[1], size);
}

template <class T>
nb::object array(std::vector<T>&& values) {
    auto held = std::make_unique<std::vector<T>>(std::move(values));
    T* data = held->data();
    const std::size_t size = held->size();
    nb::capsule owner(held.release(), [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

nb::tuple coded(nb::object codes, Names& names) {
    return nb::make_tuple(std::move(codes), array(std::move(names.starts())), array(std::move(names.ends())));
}

nb::list problems_of(const std::vector<Problem>& problems) {
    nb::list found;
    for (const Problem& problem : problems)
        found.append(nb::make_tuple(problem.line, problem.column, nb::bytes(problem.text.data(), problem.text.size())));
    return found;
}

// (columns, lines, problems); a string column is (codes, start of each code's token, its end).
nb::tuple columns_of(Columns& table) {
    nb::list columns;
    for (Column& column : table.columns) {
        if (column.kind == '-')
            columns.append(nb::none());
        else if (column.kind == 'f')
            columns.append(array(column.reals));
        else if (column.kind == 's')
            columns.append(coded(array(column.numbers), column.names));
        else if (column.kind == 'd')
            columns.append(nb::make_tuple(array(column.keys), array(column.numbers)));
        else
            columns.append(array(column.numbers));
    }
    return nb::make_tuple(columns, array(table.lines), problems_of(table.problems));
}

nb::tuple read_columns_of(const Bytes& data, const char* kinds) {
    Columns table;
    {
        const Unlocked unlocked(data.size());
        table = read_columns(text_of(data), kinds);
    }
    return columns_of(table);
}

// The same; None if the text is not UTF-8 or has a NUL byte.
nb::object read_text_of(const Bytes& data, const char* kinds, int64_t lines) {
    Columns table;
    bool is_text;
    {
        const Unlocked unlocked(data.size());
        const Content content = content_of(text_of(data));
        is_text = content.utf8 && !content.nul;
        if (is_text) table = read_columns(text_of(data), kinds, lines);
    }
    return is_text ? nb::object(columns_of(table)) : nb::none();
}

nb::tuple read_passages_of(const Bytes& data) {
    Passages table;
    {
        const Unlocked unlocked(data.size());
        table = read_passages(text_of(data));
    }
    return nb::make_tuple(coded(array(std::move(table.query)), table.query_names),
                          coded(array(std::move(table.doc)), table.doc_names), array(std::move(table.relevant)),
                          array(std::move(table.length)), array(std::move(table.bep)), array(std::move(table.lines)),
                          array(std::move(table.row_of)), array(std::move(table.start)), array(std::move(table.size)),
                          problems_of(table.problems));
}

nb::tuple content(const Bytes& data) {
    Content found;
    {
        const Unlocked unlocked(data.size());
        found = content_of(text_of(data));
    }
    return nb::make_tuple(found.ascii, found.utf8, found.nul);
}

nb::tuple shapes(const Bytes& data) {
    Shapes found;
    {
        const Unlocked unlocked(data.size());
        found = line_shapes(text_of(data));
    }
    return nb::make_tuple(array(std::move(found.line)), array(std::move(found.columns)),
                          array(std::move(found.slashes)));
}

int64_t query_boundary(const Bytes& data) {
    const Unlocked unlocked(data.size());
    return last_query(text_of(data));
}

// (where each stretch of one query begins, the number of its query, how many queries were known before, lines).
nb::tuple stretches_of(QueryLog& log, const Bytes& data) {
    const int64_t known = log.count();
    Stretches found;
    Ints number;
    {
        const Unlocked unlocked(data.size());
        found = query_stretches(text_of(data));
        number = log.add(text_of(data), found.start);
    }
    return nb::make_tuple(array(std::move(found.start)), array(std::move(number)), known, found.lines);
}

// Distinct strings, to be found among those of other texts.
class NameIndex {
  public:
    NameIndex(const Bytes& data, const IntArray& start, const IntArray& end) : data_(text_of(data)) {
        const IntView from = view(start), to = view(end);
        for (int64_t i = 0; i < from.size; ++i) names_.code(data_.data(), from[i], to[i], false);
    }

    nb::object find(const Bytes& data, const IntArray& start, const IntArray& end) const {
        const std::string_view text = text_of(data);
        const IntView from = view(start), to = view(end);
        auto codes = std::make_unique<int64_t[]>(start.size() + 1);
        {
            const Unlocked unlocked(start.size());
            for (int64_t i = 0; i < from.size; ++i)
                codes[static_cast<std::size_t>(i)] = names_.find(data_.data(), text.data() + from[i], text.data() + to[i]);
        }
        return array(codes.release(), start.size());
    }

  private:
    std::string data_;
    Names names_;
};

nb::tuple merged(const IntArray& owner, const IntArray& start, const IntArray& end, bool touching) {
    Spans spans;
    {
        const Unlocked unlocked(owner.size());
        spans = merge_spans(view(owner), view(start), view(end), touching);
    }
    return nb::make_tuple(array(std::move(spans.owner)), array(std::move(spans.start)), array(std::move(spans.end)));
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
    auto found = std::make_unique<int64_t[]>(pair.size() + 1);
    {
        const Unlocked unlocked(pair.size());
        for (int64_t i = 0; i < pairs.size; ++i) found[static_cast<std::size_t>(i)] = axis.at(pairs[i], positions[i]);
    }
    return array(found.release(), pair.size());
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
    Ints found;
    {
        const Unlocked unlocked(pair.size() + start.size());
        found = passages_found(view(pair), view(position), view(length), view(offsets), view(start), view(end),
                               tolerance, one);
    }
    return array(std::move(found));
}

nb::object ordered_ties(const IntArray& query, const IntArray& rank) {
    auto tie = std::make_unique<int64_t[]>(query.size() + 1);
    bool in_order;
    {
        const Unlocked unlocked(query.size());
        in_order = ties_in_order(view(query), view(rank), tie.get());
    }
    return in_order ? array(tie.release(), query.size()) : nb::none();
}

nb::object judged_pairs(const IntArray& query, const IntArray& doc, const IntArray& pair_offsets,
                        const IntArray& pair_doc, int64_t docs) {
    auto pair = std::make_unique<int64_t[]>(query.size() + 1);
    {
        const Unlocked unlocked(query.size());
        pairs_of(view(query), view(doc), view(pair_offsets), view(pair_doc), docs, pair.get());
    }
    return array(pair.release(), query.size());
}

Tokens tokens_of(const Bytes& data, const KeyArray& key, const IntArray& start) {
    return {text_of(data), {key.data(), static_cast<int64_t>(key.size())}, view(start)};
}

// A code for each token, in the order of the rows.
nb::tuple coded_tokens(const Bytes& data, const KeyArray& key, const IntArray& start) {
    const Tokens tokens = tokens_of(data, key, start);
    auto codes = std::make_unique<int64_t[]>(key.size() + 1);
    Names names;
    {
        const Unlocked unlocked(key.size());
        for (int64_t row = 0; row < tokens.start.size; ++row) {
            const int64_t begin = tokens.start[row];
            const auto size = static_cast<int64_t>(tokens.at(row).size());
            codes[static_cast<std::size_t>(row)] = names.code(tokens.text.data(), begin, begin + size, false);
        }
    }
    return coded(array(codes.release(), key.size()), names);
}

class JudgedIndex {
  public:
    JudgedIndex(const Bytes& data, const IntArray& start, const IntArray& end, const IntArray& pair_offsets,
                const IntArray& pair_doc)
        : names_(text_of(data), view(start), view(end), view(pair_offsets), view(pair_doc)) {}

    nb::object find(const Bytes& data, const KeyArray& key, const IntArray& start, const IntArray& rows,
                    const IntArray& query) const {
        auto pair = std::make_unique<int64_t[]>(query.size() + 1);
        {
            const Unlocked unlocked(query.size());
            names_.find(tokens_of(data, key, start), view(rows), view(query), pair.get());
        }
        return array(pair.release(), query.size());
    }

  private:
    JudgedNames names_;
};

nb::tuple documents(const Bytes& data, const KeyArray& key, const IntArray& start, const IntArray& rows,
                    const IntArray& offsets) {
    Documents found;
    {
        const Unlocked unlocked(rows.size());
        found = documents_of(tokens_of(data, key, start), view(rows), view(offsets));
    }
    return nb::make_tuple(array(std::move(found.of_row)), array(std::move(found.first)));
}

nb::object repeated_documents(const Bytes& data, const KeyArray& key, const IntArray& token_start, const IntArray& rows,
                              const IntArray& offsets, const IntArray& span_offsets, const IntArray& start,
                              const IntArray& end) {
    auto again = std::make_unique<bool[]>(rows.size() + 1);
    {
        const Unlocked unlocked(rows.size());
        repeated_tokens(tokens_of(data, key, token_start), view(rows), view(offsets), view(span_offsets), view(start),
                        view(end), again.get());
    }
    return array(again.release(), rows.size());
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
    for (std::size_t i = 0; i < nb::len(numerators); ++i)
        recalls.push_back({natural_of(numerators[i]), natural_of(denominators[i])});
    auto best = std::make_unique<double[]>(relevant.size() * recalls.size() + 1);
    {
        const Unlocked unlocked(found.size());
        best_precision({view(offsets), view(found), view(fresh), view(size)}, alpha, exact, view(relevant), recalls,
                       best.get());
    }
    return table(std::move(best), relevant.size(), recalls.size());
}

IntArray ints(const nb::object& object, const char* name) { return nb::cast<IntArray>(object.attr(name)); }

nb::tuple gains_of(const nb::object& trees, const RealArray& value, const IntArray& ideal_offsets, const IntArray& ideal,
                   const IntArray& row_offsets, const IntArray& nodes, const IntArray& span_offsets,
                   const IntArray& span_start, const IntArray& span_end, double alpha, bool shared) {
    const IntArray offsets = ints(trees, "offsets"), parent = ints(trees, "parent"), last = ints(trees, "last"),
                   start = ints(trees, "start"), end = ints(trees, "end");
    Gains found;
    {
        const Unlocked unlocked(parent.size() + nodes.size());
        const Trees documents{view(offsets), {view(parent), view(last), view(start), view(end)}};
        const GainingRows rows{view(value), view(ideal), view(nodes), view(span_offsets), view(span_start), view(span_end)};
        found = element_gains(documents, view(ideal_offsets), view(row_offsets), rows, alpha, shared);
    }
    return nb::make_tuple(array(std::move(found.gains)), array(std::move(found.given)));
}

nb::object nodes_of_spans(const IntArray& offsets, const IntArray& start, const IntArray& end, const IntArray& depth,
                          const IntArray& document, const IntArray& wanted_start, const IntArray& wanted_end) {
    auto node = std::make_unique<int64_t[]>(document.size() + 1);
    {
        const Unlocked unlocked(start.size() + document.size());
        nodes_at(view(offsets), view(start), view(end), view(depth), view(document), view(wanted_start),
                 view(wanted_end), node.get());
    }
    return array(node.release(), document.size());
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
                                {view(group_b), view(offsets_b), view(start_b), view(end_b)});
    }
    return nb::make_tuple(array(std::move(shared.first)), array(std::move(shared.second)), array(std::move(shared.length)));
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
    nb::set_leak_warnings(false);  // what lives until the interpreter ends is no business of the user's
    module.def("_read_columns", &read_columns_of);
    module.def("_read_text", &read_text_of);
    module.def("_read_passages", &read_passages_of);
    module.def("content", &content);
    module.def("line_shapes", &shapes);
    module.def("last_query", &query_boundary);
    nb::class_<QueryLog>(module, "QueryLog").def(nb::init<>()).def("add", &stretches_of);
    nb::class_<NameIndex>(module, "_NameIndex")
        .def(nb::init<const Bytes&, const IntArray&, const IntArray&>())
        .def("find", &NameIndex::find);
    module.def("merge_spans", &merged, nb::arg("owner"), nb::arg("start"), nb::arg("end"), nb::arg("touching") = false);
    module.def("novel_lengths", &novel);
    module.def("highlighted_before", &axis_positions);
    module.def("highlighted_rows", &highlighted);
    module.def("repeated_parts", &repeated);
    module.def("passages_found", &finders);
    module.def("ordered_ties", &ordered_ties);
    module.def("pairs_of", &judged_pairs);
    module.def("_coded_tokens", &coded_tokens);
    nb::class_<JudgedIndex>(module, "_JudgedIndex")
        .def(nb::init<const Bytes&, const IntArray&, const IntArray&, const IntArray&, const IntArray&>())
        .def("find", &JudgedIndex::find);
    module.def("_documents_of", &documents);
    module.def("_repeated_tokens", &repeated_documents);
    module.def("keep_memory", &keep_memory);
    module.def("precision_by_rank", &precisions);
    module.def("best_precision", &best_precisions);
    module.def("element_gains", &gains_of);
    module.def("nodes_at", &nodes_of_spans);
    module.def("chances_below", &chances);
    module.def("mean_effort", &mean_efforts);
    module.def("mean_over_orders", &means_over_orders);
    module.def("shared_lengths", &lengths_shared);
    module.def("equal_rows", &rows_in_both);
    module.def("running_products", &products_so_far);
}
