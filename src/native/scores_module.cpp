// Binds what scores are made of: the rows of each query, their sums, and ratios of these.
#include <array>
#include <cmath>
#include <limits>

#include "curves.hpp"
#include "digits.hpp"
#include "module.hpp"
#include "rows.hpp"
#include "sums.hpp"

namespace partwise {
namespace {

nb::object sums_of_segments(const IntArray& values, const IntArray& start, const IntArray& end) {
    auto sums = unset<int64_t>(start.size());
    {
        const Unlocked unlocked(values.size());
        segment_sums(view(values), view(start), view(end), sums.get());
    }
    return array(sums.release(), start.size());
}

// Queries have no more rows than this.
int64_t limit_of(nb::handle cutoff) {
    return cutoff.is_none() ? std::numeric_limits<int64_t>::max() : nb::cast<int64_t>(cutoff);
}

std::size_t count_of(const IntArray& offsets) { return offsets.size() ? offsets.size() - 1 : 0; }

nb::object sums_of_first(const IntArray& values, const IntArray& offsets, nb::handle cutoff) {
    const int64_t limit = limit_of(cutoff);
    auto sums = unset<int64_t>(count_of(offsets));
    {
        const Unlocked unlocked(values.size());
        first_sums(view(values), view(offsets), limit, sums.get());
    }
    return array(sums.release(), count_of(offsets));
}

nb::object gains(const IntArray& offsets, const IntArray& found, const IntArray& fresh, nb::handle cutoff, double alpha) {
    const int64_t limit = limit_of(cutoff);
    auto gained = unset<double>(count_of(offsets));
    {
        const Unlocked unlocked(found.size());
        gains_at({view(offsets), view(found), view(fresh), view(found)}, limit, alpha, gained.get());
    }
    return array(gained.release(), count_of(offsets));
}

// A row per limit, a column per query; `axis` are the columns of an Axis.
nb::object gains_of_limits(const IntArray& rows, const IntArray& pair, const IntArray& offsets, const IntArray& start,
                           const nb::tuple& read, const nb::tuple& axis, const IntArray& limits, const BoolArray& whole_rows,
                           double alpha) {
    if (nb::len(read) != 3 || nb::len(axis) != 4) throw nb::value_error("three columns of what is read, and four of the axis");
    if (limits.size() != whole_rows.size()) throw nb::value_error("every limit needs to say whether rows are read whole");
    std::array<IntArray, 7> columns;
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = nb::cast<IntArray>(i < 3 ? read[i] : axis[i - 3]);
    const auto& [passed, ended, size, axis_offsets, axis_start, axis_end, before] = columns;
    const std::size_t queries = count_of(rows);
    auto gained = unset<double>(queries * limits.size());
    {
        const Unlocked unlocked(pair.size() * limits.size());
        const LimitedHighlights highlights({view(pair), view(offsets), view(start), view(size), view(passed), view(ended)},
                                           {view(axis_offsets), view(axis_start), view(axis_end), view(before)});
        for (std::size_t i = 0; i < limits.size(); ++i) {
            const Highlighted found = highlights.within(limits.data()[i], whole_rows.data()[i]);
            const auto count = static_cast<int64_t>(found.found.size());
            const IntView all{found.found.data(), count}, fresh{found.fresh.data(), count};
            gains_at({view(rows), all, fresh, all}, count, alpha, gained.get() + i * queries);
        }
    }
    return table(std::move(gained), limits.size(), queries);
}

// ---- one number per query: arrays of other kinds are left to NumPy ---------------------------------------------------

// Whole numbers or floats.
class WholeOrReal {
  public:
    bool read(nb::handle value) { return reals_.read(value) || whole_.read(value); }
    std::size_t size() const { return reals_.data() ? reals_.size() : whole_.size(); }
    double at(std::size_t i) const { return reals_.data() ? reals_.data()[i] : static_cast<double>(whole_.data()[i]); }

  private:
    RealArray reals_;
    IntArray whole_;
};

// part / whole, 0 where the whole is 0; None unless both are columns of the same size.
nb::object ratios(nb::handle part, nb::handle whole) {
    WholeOrReal above, below;
    if (!above.read(part) || !below.read(whole) || above.size() != below.size()) return nb::none();
    auto quotients = unset<double>(above.size());
    for (std::size_t i = 0; i < above.size(); ++i) quotients[i] = below.at(i) != 0 ? above.at(i) / below.at(i) : 0.0;
    return array(quotients.release(), above.size());
}

// The values that are chosen, and whether one of them is not a number; None unless both are columns of the same size.
nb::object chosen(nb::handle values, nb::handle is_chosen) {
    RealArray numbers;
    BoolArray marks;
    if (!numbers.read(values) || !marks.read(is_chosen) || numbers.size() != marks.size()) return nb::none();
    auto kept = unset<double>(numbers.size());
    std::size_t count = 0;
    bool has_nan = false;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!marks.data()[i]) continue;
        has_nan |= std::isnan(numbers.data()[i]);
        kept[count++] = numbers.data()[i];
    }
    return nb::make_tuple(array(kept.release(), count), has_nan);
}

// The sums of so many rows of the same length, one after another, each rounded once; None unless these are numbers that
// are not too large.
nb::object exact_sums(nb::handle values, std::size_t rows) {
    RealArray numbers;
    if (!numbers.read(values)) return nb::none();
    if (rows ? numbers.size() % rows : numbers.size()) throw nb::value_error("rows need the same number of values");
    const std::size_t columns = rows ? numbers.size() / rows : 0;
    auto sums = unset<double>(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto sum = exact_sum(numbers.data() + row * columns, columns);
        if (!sum) return nb::none();
        sums[row] = *sum;
    }
    return array(sums.release(), rows);
}

nb::str lists_of_numbers(const RealArray& values, const IntArray& offsets, int digits) {
    if (digits < 1 || digits > 17) throw nb::value_error("digits are from 1 to 17");
    const auto count = static_cast<int64_t>(values.size());
    for (std::size_t i = 0; i < offsets.size(); ++i)
        if (offsets.data()[i] < (i ? offsets.data()[i - 1] : 0) || offsets.data()[i] > count)
            throw nb::value_error("offsets ascend and end with the values");
    const std::string text = json_lists(view(values), view(offsets), digits);
    return nb::str(text.data(), text.size());
}

// ---- the rows of queries ----------------------------------------------------------------------------------------------

nb::object offsets_of_queries(const IntArray& query, int64_t count) {
    if (count < 0) throw nb::value_error("a number of queries cannot be negative");
    const auto size = static_cast<std::size_t>(count) + 1;
    auto offsets = unset<int64_t>(size);
    {
        const Unlocked unlocked(query.size() + size);
        query_offsets(view(query), count, offsets.get());
    }
    return array(offsets.release(), size);
}

nb::tuple queries_with_rows(const IntArray& query) {
    QueryRows rows;
    {
        const Unlocked unlocked(query.size());
        rows = rows_by_query(view(query));
    }
    return nb::make_tuple(array(std::move(rows.queries)), array(std::move(rows.offsets)));
}

nb::tuple counts_of_spans(const IntArray& start, const IntArray& end, int64_t unknown) {
    if (start.size() != end.size()) throw nb::value_error("every span needs a start and an end");
    const SpanCounts counts = span_counts(view(start), view(end), unknown);
    return nb::make_tuple(counts.unknown, counts.empty);
}

}  // namespace

void bind_scores(nb::module_& module) {
    module.def("_whole_sums", &sums_of_segments);
    module.def("_first_sums", &sums_of_first, nb::arg(), nb::arg(), nb::arg().none());
    module.def("gains_at", &gains, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
    module.def("gains_within", &gains_of_limits);
    module.def("_ratios", &ratios);
    module.def("chosen_values", &chosen);
    module.def("_exact_sums", &exact_sums);
    module.def("json_lists", &lists_of_numbers);
    module.def("query_offsets", &offsets_of_queries);
    module.def("rows_by_query", &queries_with_rows);
    module.def("span_counts", &counts_of_spans);
}

}  // namespace partwise
