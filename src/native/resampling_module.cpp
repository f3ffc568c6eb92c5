// Bindings of the randomisation tests.
#include "differences.hpp"
#include "flips.hpp"
#include "module.hpp"
#include "permuting.hpp"
#include "resampling.hpp"
#include "signs.hpp"

namespace partwise {

namespace {

constexpr int64_t MOST_STEPS = int64_t{1} << 30;  // twice a step is within 32 bits
constexpr int64_t MOST_PERMUTED = int64_t{1} << 31;  // numbers and bounds are within 32 bits

void check_pairs(const IntArray& first, const IntArray& second, int64_t columns) {
    if (first.size() != second.size()) throw nb::value_error("pairs differ in length");
    for (const IntArray* const side : {&first, &second})
        for (std::size_t i = 0; i < side->size(); ++i)
            if (side->data()[i] < 0 || side->data()[i] >= columns) throw nb::index_error("no such column");
}

nb::object differences_of(const RealArray& values, int64_t queries, const IntArray& first, const IntArray& second, double equal) {
    if (queries < 0) throw nb::value_error("a number of queries cannot be negative");
    check_pairs(first, second, queries > 0 ? static_cast<int64_t>(values.size()) / queries : 0);
    const std::size_t size = first.size() * static_cast<std::size_t>(queries);
    std::unique_ptr<double[]> differences(new double[size + 1]);  // not zeros, which would be written twice
    {
        const Unlocked unlocked(size);
        write_differences(view(values), queries, view(first), view(second), equal, differences.get());
    }
    return array(differences.release(), size);
}

nb::tuple sums_of_rows(const RealArray& numbers, int64_t columns) {
    if (columns < 0 || (columns > 0 && numbers.size() % static_cast<std::size_t>(columns))) throw nb::value_error("rows need the same number of values");
    RowSums sums;
    {
        const Unlocked unlocked(numbers.size());
        sums = row_sums(view(numbers), columns);
    }
    return nb::make_tuple(array(std::move(sums.total)), array(std::move(sums.size)), array(std::move(sums.spread)),
                          array(std::move(sums.range)), array(std::move(sums.positive)), array(std::move(sums.zero)));
}

nb::object sums_of_changes(const RealArray& values, int64_t queries, const IntArray& first, const IntArray& second,
                           const RealArray& differences) {
    if (queries < 0) throw nb::value_error("a number of queries cannot be negative");
    check_pairs(first, second, queries > 0 ? static_cast<int64_t>(values.size()) / queries : 0);
    if (differences.size() != first.size() * static_cast<std::size_t>(queries)) throw nb::value_error("pairs differ in length");
    std::vector<double> sums;
    {
        const Unlocked unlocked(differences.size());
        sums = changed_sums(view(values), queries, view(first), view(second), view(differences));
    }
    return array(std::move(sums));
}

nb::object counts_of_flips(const Bytes& signs, const RealArray& values, int64_t queries, const IntArray& first,
                           const IntArray& second, const RealArray& reached, bool one_sided) {
    const int64_t columns = queries > 0 ? static_cast<int64_t>(values.size()) / queries : 0;
    const PackedSigns of_trials{{signs.data(), static_cast<int64_t>(signs.size())}, queries};
    if (queries < 0 || (queries > 0 && of_trials.indices.size % of_trials.groups())) throw nb::value_error("these are not signs of as many queries");
    if (first.size() != reached.size()) throw nb::value_error("pairs differ in length");
    check_pairs(first, second, columns);
    Ints counts;
    {
        const Unlocked unlocked(signs.size());
        counts = flip_counts(of_trials, view(values), view(first), view(second), view(reached), one_sided);
    }
    return array(std::move(counts));
}

// Generators that have four words each, with their trials.
std::vector<Stream> streams_of(const KeyArray& generators, const IntArray& trials) {
    if (generators.size() != 4 * trials.size()) throw nb::value_error("a generator has four words");
    std::vector<Stream> streams;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const uint64_t* const words = generators.data() + 4 * i;
        if (trials.data()[i] < 0) throw nb::value_error("a number of trials cannot be negative");
        streams.push_back({{words[0], words[1], words[2], words[3]}, trials.data()[i]});
    }
    return streams;
}

nb::object generators_of(const KeyArray& entropy, int64_t first, int64_t count) {
    if (first < 0 || count < 0) throw nb::value_error("there are no such generators");
    std::vector<uint32_t> words;
    for (std::size_t i = 0; i < entropy.size(); ++i) {
        if (entropy.data()[i] >> 32) throw nb::value_error("words of entropy have 32 bits");
        words.push_back(static_cast<uint32_t>(entropy.data()[i]));
    }
    std::vector<uint64_t> generators;
    for (int64_t i = 0; i < count; ++i) {
        const Generator generator = seeded(words, static_cast<uint64_t>(first) + static_cast<uint64_t>(i));
        generators.insert(generators.end(), {generator.state_high, generator.state_low, generator.step_high, generator.step_low});
    }
    return array(std::move(generators));
}

nb::object signs_of_streams(const KeyArray& generators, const IntArray& trials, int64_t queries) {
    if (queries < 0) throw nb::value_error("a number of queries cannot be negative");
    const std::vector<Stream> streams = streams_of(generators, trials);
    std::vector<uint8_t> signs;
    {
        const nb::gil_scoped_release unlocked;
        signs = random_signs(streams, queries);
    }
    return array(std::move(signs));
}

nb::object ranges_of_permuted(const KeyArray& generators, const IntArray& trials, const RealArray& values, int64_t queries,
                              int64_t runs, int64_t measures) {
    const std::vector<Stream> streams = streams_of(generators, trials);
    if (runs > MOST_RUNS) throw nb::value_error("at most 65,535 runs can be permuted");
    if (queries <= 0 || runs <= 0 || measures <= 0 || measures > 4 ||
        static_cast<int64_t>(values.size()) != queries * runs * measures)
        throw nb::value_error("the values do not have this shape");
    int64_t total = 0;
    for (const Stream& stream : streams) total += stream.trials;
    std::vector<double> ranges(static_cast<std::size_t>(total * measures));
    {
        const Unlocked unlocked(values.size());
        permuted_ranges(streams, {view(values), queries, runs, measures}, ranges.data());
    }
    return array(std::move(ranges));
}

nb::object permutations_of(const KeyArray& generator, int64_t count, int64_t trials, int64_t kept) {
    if (generator.size() != 4) throw nb::value_error("a generator has four words");
    if (count < 1 || count > MOST_PERMUTED || kept < 0 || kept > count || trials < 0)
        throw nb::value_error("there are no such permutations");
    Ints permutations(static_cast<std::size_t>(trials * kept));
    {
        const Unlocked unlocked(permutations.size());
        const uint64_t* const words = generator.data();
        write_permutations({words[0], words[1], words[2], words[3]}, count, trials, kept, permutations.data());
    }
    return array(std::move(permutations));
}

nb::object counts_of_swaps(const IntArray& orders, int64_t size, const RealArray& values, const IntArray& offsets, double equal,
                           double per_unit, double slack, int64_t steps) {
    const std::size_t measures = offsets.size() ? offsets.size() - 1 : 0;
    const int64_t columns = measures ? offsets.data()[measures] : 0;
    bool is_good = size > 0 && measures && columns > 0 && steps > 0 && steps <= MOST_STEPS && offsets.data()[0] == 0 &&
                   static_cast<int64_t>(orders.size()) % (2 * size) == 0 && static_cast<int64_t>(values.size()) % columns == 0;
    for (std::size_t i = 0; is_good && i < measures; ++i) is_good = offsets.data()[i] <= offsets.data()[i + 1];
    if (!is_good) throw nb::value_error("the values do not have this shape");
    const int64_t queries = static_cast<int64_t>(values.size()) / columns;
    for (std::size_t i = 0; i < orders.size(); ++i)
        if (orders.data()[i] < 0 || orders.data()[i] >= queries) throw nb::index_error("no such query");
    Ints counts;
    {
        const Unlocked unlocked(orders.size());
        counts = swap_counts({view(orders), size}, view(values), view(offsets), {equal, per_unit, slack, steps});
    }
    return array(std::move(counts));
}

}  // namespace

void bind_resampling(nb::module_& module) {
    module.def("generators", &generators_of);
    module.def("random_signs", &signs_of_streams);
    module.def("differences", &differences_of);
    module.def("row_sums", &sums_of_rows);
    module.def("changed_sums", &sums_of_changes);
    module.def("flip_counts", &counts_of_flips);
    module.def("permuted_ranges", &ranges_of_permuted);
    module.def("permutations", &permutations_of);
    module.def("swap_counts", &counts_of_swaps);
}

}  // namespace partwise
