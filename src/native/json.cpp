#include "json.hpp"

#include <map>
#include <utility>

#include "json_line.hpp"

namespace partwise {

namespace {

// The start of the line that `at` is in, eight bytes at a time.
const char* line_start(const char* base, const char* at) {
    constexpr uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u, feeds = 0x0A0A0A0A0A0A0A0Au;
    while (at - base >= 8) {
        const uint64_t other = eight_bytes(at - 8) ^ feeds;
        if ((other - ones) & ~other & highs) break;
        at -= 8;
    }
    while (at > base && at[-1] != '\n') --at;
    return at;
}

// A line without the blanks around it.
std::pair<const char*, const char*> stripped(const char* begin, const char* end) {
    const auto is_blank_here = [](char c) { return c == '\n' || is_stripped(c); };
    while (begin < end && is_blank_here(*begin)) ++begin;
    while (begin < end && is_blank_here(end[-1])) --end;
    return {begin, end};
}

class KeyColumns {
  public:
    void add(int64_t row, Line& line) {
        int64_t expected = 0;  // keys usually come in the same order, even if some are left out
        Gap* gap = line.gaps.data();
        for (const Cell& cell : line.values) {
            if (gap->column < 0) gap->column = number(gap->key, gap->is_escaped, static_cast<std::size_t>(expected));
            expected = gap->column + 1;
            table[static_cast<std::size_t>(gap->column)].put(row, cell);
            ++gap;
        }
    }

    // Makes room for the cells of a text whose lines are like this one, but for no more than the text itself takes.
    void reserve(int64_t text, int64_t line) {
        const int64_t rows = text / line + text / line / 8;
        if (static_cast<int64_t>(table.size()) > line / 16) return;
        for (CellColumn& column : table) column.cells.reserve(static_cast<std::size_t>(rows));
    }

    std::vector<CellColumn> table;

  private:
    int64_t number(std::string_view name, bool is_escaped, std::size_t expected) {
        if (is_escaped) {
            spelled_.clear();
            unescape(name, spelled_);
            name = spelled_;
        }
        if (expected < table.size() && table[expected].name == name) return static_cast<int64_t>(expected);
        const auto [place, is_new] = numbers_.try_emplace(std::string(name), static_cast<int64_t>(table.size()));
        if (is_new) {
            table.emplace_back();
            table.back().name = std::string(name);
        }
        return place->second;
    }

    std::string spelled_;
    std::map<std::string, int64_t> numbers_;
};

}  // namespace

CellTable read_json_lines(std::string_view text, int64_t deepest, int64_t most_digits, IntView skipped) {
    CellTable table;
    KeyColumns columns;
    Line line(text, most_digits);
    const char *base = text.data(), *end = base + text.size();
    int64_t number = 0, next_skipped = 0;
    for (const char *begin = base, *next = base; begin < end; begin = next) {
        int64_t what = line.read(begin);
        next = line.next();
        ++number;
        if (next_skipped < skipped.size && skipped[next_skipped] == number) {
            ++next_skipped;
            continue;
        }
        if (what == BLANK) continue;
        if (what == 0 && line.depth > deepest) what = TOO_DEEP;
        if (what || !line.is_whole) {
            const auto place = stripped(begin, next);
            const BadLine bad{number, place.first - base, place.second - base, what, 0};
            if (what) {
                table.bad.push_back(bad);
                continue;
            }
            table.halved.push_back(bad);
        }
        columns.add(static_cast<int64_t>(table.lines.size()), line);
        if (table.lines.empty()) columns.reserve(end - base, next - begin);
        table.lines.push_back(number);
    }
    table.columns = std::move(columns.table);
    return table;
}

Cut last_json_query(std::string_view text, std::string_view key) {
    Line line(text, 0);
    const char* base = text.data();
    const char* stop = base + text.size();
    while (stop > base && stop[-1] != '\n') --stop;
    const char* boundary = stop;
    std::string_view query, up_to_query;  // its value, and the line up to what follows that
    while (stop > base) {
        const char* begin = line_start(base, stop - 1);
        const bool begins_alike = !up_to_query.empty() && static_cast<std::size_t>(stop - begin) >= up_to_query.size() &&
                                  same_bytes(begin, up_to_query.data(), static_cast<int64_t>(up_to_query.size()));
        if (begins_alike) {
            boundary = begin;
        } else if (line.read(begin) == 0) {
            for (std::size_t i = line.values.size(); i-- > 0;) {
                if (line.gaps[i].key != key) continue;
                const std::string_view here = line.values[i].in(text);
                if (!up_to_query.empty() && here != query) {
                    const int64_t before = boundary - base;
                    return {before, line_ends(text.substr(0, static_cast<std::size_t>(before)))};
                }
                query = here;
                up_to_query = {begin, static_cast<std::size_t>(here.data() + here.size() + 1 - begin)};
                boundary = begin;
                break;
            }
        }
        stop = begin;
    }
    return {0, 0};
}

}  // namespace partwise
