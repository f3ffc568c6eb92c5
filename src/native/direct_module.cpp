// The straight way as Python sees it: no arrays, so that NumPy need not be loaded.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "direct.hpp"
#include "memory.hpp"

namespace nb = nanobind;
using namespace partwise;

namespace {

class Topics {
  public:
    explicit Topics(std::unique_ptr<HighlightedTopics> found) : found_(std::move(found)) {}
    std::shared_ptr<const HighlightedTopics> found_;
};

nb::object read_topics(const nb::bytes& text) {
    std::unique_ptr<HighlightedTopics> found;
    {
        nb::gil_scoped_release unlocked;
        found = HighlightedTopics::read({text.c_str(), text.size()});
    }
    return found ? nb::cast(Topics(std::move(found))) : nb::none();
}

// (kind, cutoff or -1, numerators, denominators)
TextMeasure measure_of(const nb::tuple& asked) {
    const auto kind = static_cast<TextMeasure::Kind>(nb::cast<int>(asked[0]));
    return {kind, nb::cast<int64_t>(asked[1]), nb::cast<Ints>(asked[2]), nb::cast<Ints>(asked[3])};
}

class Scoring {
  public:
    Scoring(const Topics& topics, const nb::list& measures, std::vector<std::string> paths, std::size_t jobs,
            std::size_t block) {
        std::vector<TextMeasure> asked;
        for (nb::handle measure : measures) asked.push_back(measure_of(nb::cast<nb::tuple>(measure)));
        nb::gil_scoped_release unlocked;
        scoring_ = std::make_unique<TextScoring>(topics.found_, std::move(asked), std::move(paths), jobs, block);
    }

    bool wait(double seconds) {
        nb::gil_scoped_release unlocked;
        return scoring_->wait(seconds);
    }

    std::size_t done() { return scoring_->done(); }

    void stop() {
        nb::gil_scoped_release unlocked;
        scoring_->stop();
    }

    bool odd() { return scoring_->odd(); }

    // Of a file: values by measure of each judged topic it answers, and what was odd about it.
    nb::tuple run(std::size_t file) {
        const RunScores& run = scoring_->runs().at(file);
        nb::dict values;
        for (const auto& [topic, of_topic] : run.values) values[nb::int_(topic)] = nb::cast(of_topic);
        return nb::make_tuple(values, run.unjudged.size(), run.repeated, run.past_end, run.judged_results);
    }

  private:
    std::unique_ptr<TextScoring> scoring_;
};

}  // namespace

NB_MODULE(_direct, module) {
    nb::set_leak_warnings(false);
    module.def("keep_memory", &keep_memory);
    module.def("read_topics", &read_topics);
    nb::class_<Topics>(module, "Topics")
        .def_prop_ro("names", [](const Topics& topics) { return topics.found_->names(); })
        .def_prop_ro("highlighted", [](const Topics& topics) { return topics.found_->highlighted(); })
        .def_prop_ro("past_end", [](const Topics& topics) { return topics.found_->past_end(); });
    nb::class_<Scoring>(module, "Scoring")
        .def(nb::init<const Topics&, const nb::list&, std::vector<std::string>, std::size_t, std::size_t>())
        .def("wait", &Scoring::wait)
        .def("stop", &Scoring::stop)
        .def("run", &Scoring::run)
        .def_prop_ro("odd", &Scoring::odd)
        .def_prop_ro("done", &Scoring::done);
}
