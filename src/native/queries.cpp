#include "queries.hpp"

#include <cstring>

#include "text.hpp"

namespace partwise {

namespace {

// The first column of the line at `line`; empty if the line is, or is a comment.
std::string_view first_column(const char* line, const char* end) {
    const char* begin = line;
    while (begin < end && is_blank(*begin) && *begin != '\n') ++begin;
    const char* stop = begin;
    if (begin < end && *begin == COMMENT) return {};
    while (stop < end && !is_blank(*stop)) ++stop;
    return {begin, static_cast<std::size_t>(stop - begin)};
}

}  // namespace

Stretches query_stretches(std::string_view text) {
    Stretches stretches;
    const char* base = text.data();
    const char* end = base + text.size();
    std::string_view query;
    uint64_t key = 0, mask = 0;  // the first bytes of the query, and the mask that selects them
    const auto look_at = [&](const char* line) {
        ++stretches.lines;
        const std::size_t size = query.size();
        if (static_cast<std::size_t>(end - line) > size + 8 && size > 0) {
            const bool begins_so = ((eight_bytes(line) ^ key) & mask) == 0 && is_blank(line[size]);
            if (begins_so && (size <= 8 || std::memcmp(line, query.data(), size) == 0)) return;
        }
        const std::string_view here = first_column(line, end);
        if (here.empty() || here == query) return;
        query = here;
        stretches.start.push_back(line - base);
        mask = first_bytes(~uint64_t{0}, static_cast<int64_t>(here.size()));
        key = here.data() + 8 <= end ? eight_bytes(here.data()) & mask : 0;
    };
    if (base < end) look_at(base);
    const char* at = base;
    for (; end - at > 64; at += 64)  // no line starts after the last line end
        for (uint64_t breaks = marks_of(at).breaks; breaks; breaks &= breaks - 1) look_at(at + lowest_bit(breaks) + 1);
    for (; at + 1 < end; ++at)
        if (*at == '\n') look_at(at + 1);
    return stretches;
}

Ints QueryLog::add(std::string_view text, const Ints& start) {
    Ints number;
    number.reserve(start.size());
    const char* end = text.data() + text.size();
    for (const int64_t at : start) {
        const std::string_view query = first_column(text.data() + at, end);
        number.push_back(numbers_.emplace(std::string(query), count()).first->second);
    }
    return number;
}

}  // namespace partwise
