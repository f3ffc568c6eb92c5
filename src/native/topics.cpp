#include "topics.hpp"

#include <cstring>

#include "text.hpp"

namespace partwise {

namespace {

// The first column of the line at `line`, empty where the line is.
std::string_view first_column(const char* line, const char* end) {
    const char* begin = line;
    while (begin < end && is_blank(*begin) && *begin != '\n') ++begin;
    const char* stop = begin;
    while (stop < end && !is_blank(*stop)) ++stop;
    return {begin, static_cast<std::size_t>(stop - begin)};
}

}  // namespace

Ints topic_stretches(std::string_view text) {
    Ints start;
    const char* base = text.data();
    const char* end = base + text.size();
    std::string_view topic;
    for (const char* line = base; line < end;) {
        const std::size_t size = topic.size();
        const bool same = size > 0 && static_cast<std::size_t>(end - line) > size && is_blank(line[size]) &&
                          std::memcmp(line, topic.data(), size) == 0;
        if (!same) {
            const std::string_view here = first_column(line, end);
            if (!here.empty() && here != topic) {
                topic = here;
                start.push_back(line - base);
            }
        }
        const void* mark = std::memchr(line, '\n', static_cast<std::size_t>(end - line));
        line = mark ? static_cast<const char*>(mark) + 1 : end;
    }
    return start;
}

Ints TopicLog::add(std::string_view text, const Ints& start) {
    Ints number;
    number.reserve(start.size());
    const char* end = text.data() + text.size();
    for (const int64_t at : start) {
        const std::string_view topic = first_column(text.data() + at, end);
        number.push_back(numbers_.emplace(std::string(topic), count()).first->second);
    }
    return number;
}

}  // namespace partwise
