#include "direct.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <system_error>

#include "columns.hpp"
#include "sums.hpp"

namespace partwise {

namespace {

constexpr int64_t LARGEST_OFFSET = int64_t{1} << 40;
constexpr int64_t LARGEST_SUM = int64_t{1} << 62;
constexpr int64_t LARGEST_DENOMINATOR = 1000;  // of recall levels: they are decided in whole numbers

IntView view(const Ints& column) { return {column.data(), static_cast<int64_t>(column.size())}; }
IntView view(Buffer<int64_t>& column) { return {column.data(), column.size()}; }

bool is_plain(std::string_view text) {
    const Content content = content_of(text);
    return content.utf8 && !content.control;
}

bool all_within(const Ints& values) {
    return std::all_of(values.begin(), values.end(), [](int64_t value) { return value <= LARGEST_OFFSET; });
}

Natural natural(int64_t value) { return Natural(static_cast<uint64_t>(value)); }

double ratio(double part, double whole) { return whole != 0 ? part / whole : 0.0; }

}  // namespace

std::unique_ptr<HighlightedTopics> HighlightedTopics::read(std::string_view text) {
    if (!is_plain(text)) return nullptr;
    Passages table = read_passages(text);
    if (!table.problems.empty() || !all_within(table.length) || !all_within(table.bep) || !all_within(table.start) ||
        !all_within(table.size))
        return nullptr;
    auto found = std::make_unique<HighlightedTopics>();
    Ints& starts = table.query_names.starts();
    Ints& ends = table.query_names.ends();
    for (std::size_t i = 0; i < starts.size(); ++i)
        found->names_.emplace_back(text.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(ends[i] - starts[i])));
    for (std::size_t i = 0; i < starts.size(); ++i) found->numbers_.emplace(found->names_[i], static_cast<int64_t>(i));

    // A pair is a judged document of a topic; they are sorted by topic, then document.
    const std::size_t pairs = table.query.size();
    Ints order(pairs);
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](int64_t row) {
        return std::make_pair(table.query[static_cast<std::size_t>(row)], table.doc[static_cast<std::size_t>(row)]);
    };
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
    Ints pair_of(pairs), pair_doc, pair_offsets(starts.size() + 1, 0);
    Ints length_of(static_cast<std::size_t>(table.doc_names.count()), -1);
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const auto row = static_cast<std::size_t>(order[pair]);
        if (pair > 0 && key(order[pair]) == key(order[pair - 1])) return nullptr;
        int64_t& length = length_of[static_cast<std::size_t>(table.doc[row])];
        if (length >= 0 && length != table.length[row]) return nullptr;
        length = table.length[row];
        pair_of[row] = static_cast<int64_t>(pair);
        pair_doc.push_back(table.doc[row]);
        ++pair_offsets[static_cast<std::size_t>(table.query[row]) + 1];
        found->length_.push_back(length);
    }
    std::partial_sum(pair_offsets.begin(), pair_offsets.end(), pair_offsets.begin());

    Ints owner, end;
    for (std::size_t i = 0; i < table.start.size(); ++i) {
        owner.push_back(pair_of[static_cast<std::size_t>(table.row_of[i])]);
        end.push_back(table.start[i] + table.size[i]);
    }
    if (!all_within(end)) return nullptr;
    Spans merged = merge_spans(view(owner), view(table.start), view(end), false);
    if (merged.start.empty()) return nullptr;
    found->passage_offsets_.assign(pairs + 1, 0);
    found->before_.push_back(0);
    for (std::size_t i = 0; i < merged.start.size(); ++i) {
        ++found->passage_offsets_[static_cast<std::size_t>(merged.owner[i]) + 1];
        found->before_.push_back(found->before_.back() + merged.end[i] - merged.start[i]);
        if (found->before_.back() >= LARGEST_SUM / LARGEST_DENOMINATOR) return nullptr;
        found->past_end_ += merged.end[i] > found->length_[static_cast<std::size_t>(merged.owner[i])];
    }
    std::partial_sum(found->passage_offsets_.begin(), found->passage_offsets_.end(), found->passage_offsets_.begin());
    found->start_ = std::move(merged.start);
    found->end_ = std::move(merged.end);
    const auto axis_at = [&](std::size_t topic) {
        return found->before_[static_cast<std::size_t>(found->passage_offsets_[static_cast<std::size_t>(pair_offsets[topic])])];
    };
    for (std::size_t topic = 0; topic < starts.size(); ++topic) found->highlighted_.push_back(axis_at(topic + 1) - axis_at(topic));
    found->judged_ = std::make_unique<JudgedNames>(text, view(table.doc_names.starts()), view(table.doc_names.ends()),
                                                   view(pair_offsets), view(pair_doc));
    return found;
}

int64_t HighlightedTopics::find(std::string_view topic) const {
    const auto found = numbers_.find(topic);
    return found == numbers_.end() ? -1 : found->second;
}

Axis HighlightedTopics::axis() const { return {view(passage_offsets_), view(start_), view(end_), view(before_)}; }

// Whole topics of a file.
struct TextScoring::Block {
    std::size_t file = 0;
    std::vector<char> text;
    std::size_t size = 0;
};

// What a block gives, with the columns that are used again for the next.
struct TextScoring::Scored {
    Ints topics, offsets;
    std::vector<double> values;  // of each measure, by topic
    std::vector<std::string> unjudged;
    std::string tag;
    int64_t rows = 0, largest = 0, judged_results = 0, repeated = 0, past_end = 0;

    Ints row, topic, start, end, size, pair, each, relevant;
    std::vector<double> best;
    std::unique_ptr<bool[]> again;
    std::size_t room = 0;

    void make_room(std::size_t rows_now) {
        while (each.size() <= rows_now) each.push_back(static_cast<int64_t>(each.size()));
        for (Ints* column : {&row, &topic, &start, &end, &size, &pair}) column->resize(rows_now);
        if (room < rows_now) {
            again = std::make_unique<bool[]>(rows_now);
            room = rows_now;
        }
    }
};

TextScoring::TextScoring(std::shared_ptr<const HighlightedTopics> topics, std::vector<TextMeasure> measures,
                         std::vector<std::string> paths, std::size_t jobs, std::size_t block)
    : topics_(std::move(topics)),
      measures_(std::move(measures)),
      paths_(std::move(paths)),
      block_(std::max<std::size_t>(2, block)),
      runs_(paths_.size()),
      open_(paths_.size(), 1) {
    threads_.reserve(jobs);
    for (std::size_t i = 0; i < jobs; ++i) {
        {
            const std::lock_guard<std::mutex> lock(telling_);
            ++working_;
        }
        try {
            threads_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {  // there can be no more of them: those that there are will do
            const std::lock_guard<std::mutex> lock(telling_);
            --working_;
            break;
        }
    }
    const std::lock_guard<std::mutex> lock(telling_);
    odd_ = odd_ || threads_.empty();
}

TextScoring::~TextScoring() {
    stop();
    for (std::thread& thread : threads_) thread.join();
    if (stream_) std::fclose(stream_);
}

bool TextScoring::wait(double seconds) {
    std::unique_lock<std::mutex> lock(telling_);
    return told_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return working_ == 0; });
}

void TextScoring::stop() {
    const std::lock_guard<std::mutex> lock(telling_);
    stop_ = true;
}

std::size_t TextScoring::done() {
    const std::lock_guard<std::mutex> lock(telling_);
    return done_;
}

bool TextScoring::odd() {
    const std::lock_guard<std::mutex> lock(telling_);
    return odd_;
}

void TextScoring::work() {
    try {
        Block block;
        Scored scored;
        while (next(block)) end(block.file, score(block, scored) && take(block.file, scored));
    } catch (...) {  // no memory: the other way may do with less, or will say so
        const std::lock_guard<std::mutex> lock(telling_);
        odd_ = true;
    }
    const std::lock_guard<std::mutex> lock(telling_);
    if (--working_ == 0) told_.notify_all();
}

// The next stretch of whole topics; false if there is none, or no use for it.
bool TextScoring::next(Block& block) {
    const std::lock_guard<std::mutex> lock(reading_);
    while (file_ < paths_.size()) {
        {
            const std::lock_guard<std::mutex> telling(telling_);
            if (odd_ || stop_) return false;
        }
        if (!stream_) {
            stream_ = std::fopen(paths_[file_].c_str(), "rb");
            if (stream_) std::setvbuf(stream_, nullptr, _IONBF, 0);
        }
        bool is_end = !stream_;
        block.file = file_;
        block.size = rest_.size();
        if (block.text.size() < block_) block.text.resize(block_);
        if (block.text.size() < block.size) block.text.resize(block.size);
        std::copy(rest_.begin(), rest_.end(), block.text.begin());
        rest_.clear();
        std::size_t cut = 0;
        while (!is_end && !cut) {
            if (block.text.size() < block.size + block_ / 2) block.text.resize(2 * block.text.size());
            const std::size_t wanted = block.text.size() - block.size;
            const std::size_t got = std::fread(block.text.data() + block.size, 1, wanted, stream_);
            block.size += got;
            is_end = got < wanted;
            if (!is_end) cut = static_cast<std::size_t>(last_topic({block.text.data(), block.size}));
        }
        const bool is_good = stream_ && !std::ferror(stream_);
        if (is_end) {
            if (stream_) std::fclose(stream_);
            stream_ = nullptr;
            ++file_;
        } else {
            rest_.assign(block.text.begin() + static_cast<std::ptrdiff_t>(cut), block.text.begin() + static_cast<std::ptrdiff_t>(block.size));
            block.size = cut;
        }
        if (block.size > 0) {
            const std::lock_guard<std::mutex> telling(telling_);
            ++open_[block.file];
        }
        if (is_end) end(block.file, is_good);
        if (block.size > 0) return true;
    }
    return false;
}

bool TextScoring::score(const Block& block, Scored& scored) const {
    const std::string_view text(block.text.data(), block.size);
    if (!is_plain(text)) return false;
    Columns table = read_columns(text, "s-dnvsnn");
    if (!table.problems.empty()) return false;
    const int64_t rows = table.lines.size();
    Names& topic_names = table.columns[0].names;
    Names& tags = table.columns[5].names;
    scored.rows = rows;
    scored.largest = scored.judged_results = scored.repeated = scored.past_end = 0;
    scored.tag.clear();
    scored.topics.clear();
    scored.offsets.assign(1, 0);
    scored.relevant.clear();
    scored.unjudged.clear();
    if (rows == 0) return true;
    if (tags.count() != 1) return false;
    const auto token = [&](Names& names, std::size_t code) {
        const int64_t start = names.starts()[code];
        return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(names.ends()[code] - start));
    };
    scored.tag = token(tags, 0);
    const IntView codes = view(table.columns[0].numbers), rank = view(table.columns[3].numbers);
    const IntView offset = view(table.columns[6].numbers), length = view(table.columns[7].numbers);

    scored.make_room(static_cast<std::size_t>(rows));
    int64_t kept = 0, topic = -1;
    for (int64_t row = 0; row < rows; ++row) {
        if (row == 0 || codes[row] != codes[row - 1]) {
            if (row > 0 && codes[row] < codes[row - 1]) return false;
            if (topic >= 0) scored.offsets.push_back(kept);
            const std::string_view name = token(topic_names, static_cast<std::size_t>(codes[row]));
            topic = topics_->find(name);
            if (topic >= 0) {
                scored.topics.push_back(topic);
                scored.relevant.push_back(topics_->highlighted()[static_cast<std::size_t>(topic)]);
            } else {
                scored.unjudged.emplace_back(name);
            }
        } else if (rank[row] < rank[row - 1]) {
            return false;
        }
        if (offset[row] > LARGEST_OFFSET || length[row] > LARGEST_OFFSET || offset[row] + length[row] > LARGEST_OFFSET) return false;
        scored.largest = std::max(scored.largest, length[row]);
        if (topic < 0) continue;
        const auto at = static_cast<std::size_t>(kept++);
        scored.row[at] = row;
        scored.topic[at] = topic;
        scored.start[at] = offset[row];
        scored.end[at] = offset[row] + length[row];
        scored.size[at] = length[row];
    }
    if (topic >= 0) scored.offsets.push_back(kept);

    const auto first = [&](const Ints& column) { return IntView{column.data(), kept}; };
    const Tokens docs{text, {table.columns[2].keys.data(), rows}, view(table.columns[2].numbers)};
    const IntView spans{scored.each.data(), kept + 1};
    topics_->judged().find(docs, first(scored.row), first(scored.topic), scored.pair.data());
    const Highlighted rows_found = highlighted_rows(first(scored.pair), spans, first(scored.start), first(scored.end), topics_->axis());
    repeated_tokens(docs, first(scored.row), view(scored.offsets), spans, first(scored.start), first(scored.end), scored.again.get());
    for (int64_t i = 0; i < kept; ++i) {
        const auto at = static_cast<std::size_t>(i);
        scored.repeated += scored.again[at];
        if (scored.pair[at] < 0) continue;
        ++scored.judged_results;
        scored.past_end += scored.end[at] > topics_->length(scored.pair[at]);
    }

    const std::size_t count = scored.topics.size();
    const TextRows text_rows{view(scored.offsets), view(rows_found.found), view(rows_found.fresh), first(scored.size)};
    scored.values.clear();
    for (const TextMeasure& measure : measures_) {
        if (measure.kind == TextMeasure::Kind::interpolated) {
            const std::size_t levels = measure.numerator.size();
            scored.best.resize(count * levels);
            std::vector<Ratio> recalls;
            for (std::size_t i = 0; i < levels; ++i)
                recalls.push_back({natural(measure.numerator[i]), natural(measure.denominator[i])});
            best_precision(text_rows, 1.0, {natural(1), natural(1)}, view(scored.relevant), recalls, scored.best.data());
            for (std::size_t i = 0; i < count; ++i)
                scored.values.push_back(summed(scored.best.data() + i * levels, levels) / static_cast<double>(levels));
            continue;
        }
        for (std::size_t i = 0; i < count; ++i) {
            int64_t found = 0, seen = 0, read = 0;
            const int64_t low = scored.offsets[i], high = scored.offsets[i + 1];
            const int64_t stop = measure.cutoff < 0 ? high : std::min(high, low + measure.cutoff);
            for (int64_t row = low; row < stop; ++row) {
                found += text_rows.found[row];
                seen += text_rows.found[row] - text_rows.fresh[row];
                read += text_rows.size[row];
            }
            const double gain = static_cast<double>(found) - static_cast<double>(seen);
            const double precision = ratio(gain, static_cast<double>(read));
            const double recall = ratio(gain, static_cast<double>(scored.relevant[i]));
            switch (measure.kind) {
                case TextMeasure::Kind::precision: scored.values.push_back(precision); break;
                case TextMeasure::Kind::recall: scored.values.push_back(recall); break;
                default: scored.values.push_back(ratio(2.0 * precision * recall, precision + recall));
            }
        }
    }
    return true;
}

// Enters what a block gave; false if a topic comes again or the run has another tag.
bool TextScoring::take(std::size_t file, Scored& scored) {
    const std::lock_guard<std::mutex> lock(telling_);
    RunScores& run = runs_[file];
    if (scored.rows == 0) return true;
    if (run.rows > 0 && run.tag != scored.tag) return false;
    run.tag = scored.tag;
    for (const std::string& name : scored.unjudged)
        if (!run.unjudged.insert(name).second) return false;
    const std::size_t count = scored.topics.size();
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<double> values;
        for (std::size_t measure = 0; measure < measures_.size(); ++measure)
            values.push_back(scored.values[measure * count + i]);
        if (!run.values.emplace(scored.topics[i], std::move(values)).second) return false;
    }
    run.rows += scored.rows;
    run.largest = std::max(run.largest, scored.largest);
    run.results += scored.offsets.back();
    run.judged_results += scored.judged_results;
    run.repeated += scored.repeated;
    run.past_end += scored.past_end;
    return true;
}

// A block, or the reading of a file, has ended.
void TextScoring::end(std::size_t file, bool is_good) {
    const std::lock_guard<std::mutex> lock(telling_);
    if (--open_[file] == 0) {
        ++done_;
        is_good = is_good && is_whole(runs_[file]);
    }
    odd_ = odd_ || !is_good;
}

// Whether a run has a judged topic, and sums that are exact.
bool TextScoring::is_whole(const RunScores& run) const {
    return run.results > 0 && run.largest < LARGEST_SUM / run.rows;
}

}  // namespace partwise
