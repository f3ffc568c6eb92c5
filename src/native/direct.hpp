// Straight from text files to the values of text measures, for files in which nothing is odd. What is odd is only found
// out here, not told: the caller then takes the way that has the error lines.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "curves.hpp"
#include "rows.hpp"
#include "spans.hpp"

namespace partwise {

// What a text measure asks of a ranking.
struct TextMeasure {
    enum class Kind { interpolated, precision, recall, f };
    Kind kind;
    int64_t cutoff;               // results that count; -1: all of them
    Ints numerator, denominator;  // of the recall levels over which interpolated precision is averaged
};

// Highlighted passages, topic by topic.
class HighlightedTopics {
  public:
    // The passages of FOL lines; null if a line cannot be read, judgements repeat or contradict each other, or nothing
    // is highlighted.
    static std::unique_ptr<HighlightedTopics> read(std::string_view text);

    int64_t find(std::string_view topic) const;  // -1: not judged
    const std::vector<std::string>& names() const { return names_; }
    const Ints& highlighted() const { return highlighted_; }  // characters of each topic
    int64_t past_end() const { return past_end_; }            // passages that reach past the end of their document
    int64_t length(int64_t pair) const { return length_[static_cast<std::size_t>(pair)]; }
    const JudgedNames& judged() const { return *judged_; }
    Axis axis() const;

  private:
    std::vector<std::string> names_;
    std::unordered_map<std::string_view, int64_t> numbers_;
    Ints highlighted_, length_, passage_offsets_, start_, end_, before_;
    int64_t past_end_ = 0;
    std::unique_ptr<JudgedNames> judged_;
};

struct RunScores {
    std::map<int64_t, std::vector<double>> values;  // of each judged topic that has results, by measure
    std::set<std::string, std::less<>> unjudged;
    std::string tag;
    int64_t rows = 0, largest = 0;                                        // results, and characters of the largest
    int64_t results = 0, judged_results = 0, repeated = 0, past_end = 0;  // of judged topics
};

// Scores the runs in some files of INEX columns with offset and length, in some threads, each of which works on a block
// of about so many bytes at a time; a longer topic makes a longer block.
class TextScoring {
  public:
    TextScoring(std::shared_ptr<const HighlightedTopics> topics, std::vector<TextMeasure> measures,
                std::vector<std::string> paths, std::size_t jobs, std::size_t block);
    ~TextScoring();
    TextScoring(const TextScoring&) = delete;
    TextScoring& operator=(const TextScoring&) = delete;

    bool wait(double seconds);  // whether it has ended
    void stop();                // as soon as the blocks at hand are done
    std::size_t done();         // files
    bool odd();                 // whether something was odd; nothing else can be said then
    const std::vector<RunScores>& runs() const { return runs_; }  // when it has ended

  private:
    struct Block;
    struct Scored;

    void work();
    bool next(Block& block);
    bool score(const Block& block, Scored& scored) const;
    bool take(std::size_t file, Scored& scored);
    void end(std::size_t file, bool is_good);
    bool is_whole(const RunScores& run) const;

    const std::shared_ptr<const HighlightedTopics> topics_;
    const std::vector<TextMeasure> measures_;
    const std::vector<std::string> paths_;
    const std::size_t block_;
    std::vector<RunScores> runs_;

    std::mutex reading_;  // the files, of which one is read at a time
    std::size_t file_ = 0;
    std::FILE* stream_ = nullptr;
    std::vector<char> rest_;

    std::mutex telling_;  // what has come of it
    std::condition_variable told_;
    std::vector<int64_t> open_;  // blocks of each file that are worked on, and one more until all of it is read
    std::size_t done_ = 0, working_ = 0;
    bool odd_ = false, stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace partwise
