// Properties that hold for every reader and any bytes.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cells.hpp"
#include "columns.hpp"
#include "delimited.hpp"
#include "json.hpp"
#include "markup.hpp"
#include "rows.hpp"
#include "text.hpp"
#include "queries.hpp"

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);      \
            std::abort();                                                             \
        }                                                                             \
    } while (false)

namespace checks {

using namespace partwise;

constexpr const char* LAYOUTS[] = {"s-dofs", "s-dnfsnn", "s-dnfsn", "s-dnfss", "s-dnfsss", "s-si", "sn", "f", "d"};

inline int64_t lines_of(std::string_view text) {
    int64_t count = 0;
    for (const char c : text) count += c == '\n';
    return count + 1;
}

// Every rejection names a line, a column of it, and the text there.
inline void check_problems(const std::vector<Problem>& problems, std::string_view text, int64_t columns) {
    int64_t before = 0;
    for (const Problem& problem : problems) {
        CHECK(problem.line > before && problem.line <= lines_of(text));
        CHECK(problem.column >= -1 && (columns < 0 || problem.column < columns));
        CHECK(!problem.text.empty());
        before = problem.line;
    }
}

inline bool same_real(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

// Reading the whole text equals reading it line by line; a single line is too short for the fast paths.
inline void check_columns(std::string_view text, std::string_view kinds) {
    Columns whole = read_columns(text, kinds);
    check_problems(whole.problems, text, static_cast<int64_t>(kinds.size()));
    int64_t row = 0, number = 0;
    std::size_t problem = 0;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t stop = std::min(text.find('\n', at), text.size());
        const std::string line(text.substr(at, stop - at));
        ++number;
        Columns alone = read_columns(line.size() < 64 ? line : line.substr(0, line.size()), kinds);
        CHECK(alone.lines.size() + static_cast<int64_t>(alone.problems.size()) <= 1);
        if (!alone.problems.empty()) {
            CHECK(problem < whole.problems.size());
            CHECK(whole.problems[problem].line == number);
            CHECK(whole.problems[problem].column == alone.problems[0].column);
            CHECK(whole.problems[problem].text == alone.problems[0].text);
            ++problem;
        }
        if (alone.lines.size()) {
            CHECK(row < whole.lines.size());
            CHECK(whole.lines[row] == number);
            for (std::size_t i = 0; i < kinds.size(); ++i) {
                Column &all = whole.columns[i], &one = alone.columns[i];
                if (kinds[i] == 'f') {
                    CHECK(same_real(all.reals[row], one.reals[0]));
                } else if (kinds[i] == 'd') {
                    CHECK(all.keys[row] == one.keys[0]);
                    const Tokens mine{text, {all.keys.data(), all.keys.size()}, {all.numbers.data(), all.numbers.size()}, {nullptr, 0}};
                    const Tokens other{line, {one.keys.data(), 1}, {one.numbers.data(), 1}, {nullptr, 0}};
                    CHECK(mine.at(row) == other.at(0));
                } else if (kinds[i] == 's') {
                    const auto code = static_cast<std::size_t>(all.numbers[row]);
                    const auto from = static_cast<std::size_t>(all.names.starts()[code]);
                    const auto to = static_cast<std::size_t>(all.names.ends()[code]);
                    const auto begin = static_cast<std::size_t>(one.names.starts()[0]);
                    const auto end = static_cast<std::size_t>(one.names.ends()[0]);
                    CHECK(text.substr(from, to - from) == std::string_view(line).substr(begin, end - begin));
                } else if (kinds[i] != '-' && kinds[i] != 'v') {
                    CHECK(all.numbers[row] == one.numbers[0]);
                }
            }
            ++row;
        }
        if (stop == text.size()) break;
        at = stop + 1;
    }
    CHECK(row == whole.lines.size());
    CHECK(problem == whole.problems.size());
}

inline void check_passages(std::string_view text) {
    Passages table = read_passages(text);
    check_problems(table.problems, text, -1);
    CHECK(table.query.size() == table.doc.size() && table.query.size() == table.lines.size());
    CHECK(table.relevant.size() == table.lines.size());
    CHECK(table.start.size() == table.size.size() && table.start.size() == table.row_of.size());
    for (const int64_t row : table.row_of) CHECK(row >= 0 && row < static_cast<int64_t>(table.query.size()));
    for (const int64_t code : table.query) CHECK(code >= 0 && code < table.query_names.count());
    for (std::size_t i = 0; i < table.start.size(); ++i) CHECK(table.start[i] >= 0 && table.size[i] >= 0);
}

inline void check_text(std::string_view text) {
    const int64_t cut = last_query(text);
    CHECK(cut >= 0 && cut <= static_cast<int64_t>(text.size()));
    CHECK(cut == 0 || text[static_cast<std::size_t>(cut) - 1] == '\n');
    const Shapes shapes = line_shapes(text);
    CHECK(static_cast<int64_t>(shapes.line.size()) <= lines_of(text));
    const Content content = content_of(text);
    CHECK(!content.ascii || content.utf8);
}

// Stretches of queries start at line starts, and adjacent stretches have different queries.
inline void check_queries(std::string_view text) {
    const Stretches stretches = query_stretches(text);
    const Ints& start = stretches.start;
    CHECK(stretches.lines <= lines_of(text) && stretches.lines >= lines_of(text) - 1);
    for (const char* kinds : LAYOUTS) read_columns(text, kinds, stretches.lines);
    QueryLog log;
    const Ints first = log.add(text, start), again = log.add(text, start);
    CHECK(first == again && first.size() == start.size());
    CHECK(log.count() <= static_cast<int64_t>(start.size()));
    for (std::size_t i = 0; i < start.size(); ++i) {
        CHECK(start[i] >= 0 && start[i] < static_cast<int64_t>(text.size()));
        CHECK(start[i] == 0 || text[static_cast<std::size_t>(start[i]) - 1] == '\n');
        CHECK(first[i] >= 0 && first[i] < log.count());
        CHECK(i == 0 || (start[i] > start[i - 1] && first[i] != first[i - 1]));
    }
    CHECK(start.size() < 2 || text.back() != '\n' || start.back() == last_query(text));
}

// Well-formed or not: elements are in preorder, and each lies in its parent.
inline void check_markup(std::string_view source) {
    Markup read, twice;
    const Reading reading = read.add(source);
    CHECK(twice.add("<a>x</a>") == Reading::all && twice.add(source, Reading::all) == reading);
    CHECK(twice.nodes.size() == (reading == Reading::all ? 3 : 2));
    CHECK(twice.tag.size() == 1 + (reading == Reading::all ? read.tag.size() : 0));
    CHECK(twice.text == "x" + (reading == Reading::all ? read.text : std::string()));
    if (reading == Reading::none) {
        CHECK(read.tag.empty() && read.names.empty() && read.text.empty() && read.nodes.size() == 1);
        return;
    }
    const Markup* const markup = &read;
    const std::size_t count = markup->tag.size();
    CHECK(count > 0 && markup->parent[0] == -1 && markup->start[0] == 0);
    CHECK(markup->end[0] <= static_cast<int64_t>(markup->text.size()) && markup->text.size() <= source.size());
    for (std::size_t i = 0; i < count; ++i) {
        CHECK(markup->tag[i] >= 0 && markup->tag[i] < static_cast<int64_t>(markup->names.size()));
        CHECK(markup->start[i] <= markup->end[i]);
        if (i == 0) continue;
        const int64_t parent = markup->parent[i];
        CHECK(parent >= 0 && parent < static_cast<int64_t>(i));
        const auto above = static_cast<std::size_t>(parent);
        CHECK(markup->depth[i] == markup->depth[above] + 1);
        CHECK(markup->start[i] >= markup->start[above] && markup->end[i] <= markup->end[above]);
    }
}

// Cells lie inside the text, and what they hold can be read whatever it is; `is_json` is whether literals occur.
inline void check_cells(CellTable& table, std::string_view text, bool is_json) {
    const auto rows = static_cast<int64_t>(table.lines.size());
    for (std::size_t column = 0; column < table.columns.size() && column < 50; ++column) {
        const CellColumn& from = table.columns[column];
        Ints dense(2 * static_cast<std::size_t>(rows));
        CHECK(from.rows.empty() || from.rows.size() == from.cells.size());
        for (std::size_t cell = 0; cell < from.cells.size(); ++cell) {
            const int64_t row = from.rows.empty() ? static_cast<int64_t>(cell) : from.rows[cell];
            CHECK(row >= 0 && row < rows);
            dense[2 * static_cast<std::size_t>(row)] = from.cells[cell].start;
            dense[2 * static_cast<std::size_t>(row) + 1] = from.cells[cell].packed;
        }
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
            const int64_t start = dense[2 * row], size = dense[2 * row + 1] >> 3, kind = dense[2 * row + 1] & 7;
            CHECK(start >= 0 && size >= 0 && start + size <= static_cast<int64_t>(text.size()));
            CHECK(kind <= (is_json ? LITERAL : DOUBLED));
        }
        const CellView cells{text, {dense.data(), static_cast<int64_t>(dense.size())}};
        Ints code(static_cast<std::size_t>(rows) + 1), irregular;
        std::vector<double> reals(static_cast<std::size_t>(rows) + 1);
        CellTexts texts;
        cell_texts(cells, code.data(), texts, irregular);
        for (int64_t row = 0; row < rows; ++row) CHECK(code[static_cast<std::size_t>(row)] < texts.names.count());
        const auto [bytes, adjacent] = token_bytes(cells);
        if (bytes >= 0) {
            CHECK(irregular.empty());
            std::string copied(static_cast<std::size_t>(bytes), ' ');
            std::vector<uint64_t> keys(static_cast<std::size_t>(rows) + 1);
            Ints edges(static_cast<std::size_t>(rows) + 1);
            const bool stay = adjacent && rows > 0;
            copy_tokens(cells, bytes, stay ? nullptr : copied.data(), keys.data(), edges.data());
            CHECK(edges.back() - edges.front() == bytes);
            const Tokens tokens{stay ? std::string_view(text) : copied, {keys.data(), rows}, {edges.data(), rows}, {edges.data() + 1, rows}};
            for (int64_t row = 0; row < rows; ++row) {
                CHECK(tokens.at(row) == cells.at(row));
                const auto own = static_cast<std::size_t>(row);
                CHECK(tokens.same(0, row) == (code[0] == code[own]));
            }
        }
        cell_naturals(cells, int64_t{1} << 40, code.data(), irregular);
        cell_reals(cells, reals.data(), irregular);
        cell_lengths(cells, nullptr, code.data());
        Ints quick(code.size()), expected(code.size());
        for (std::size_t i = 0; i < code.size(); ++i) expected[i] = code[i] + static_cast<int64_t>(i % 3) - 1;
        cell_lengths(cells, expected.data(), quick.data());
        for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
            CHECK((quick[i] == -1) == (code[i] == -1) && (code[i] == -1 || (quick[i] == expected[i]) == (code[i] == expected[i])));
        const Ints first = cell_codes(cells, code.data());
        for (const int64_t row : irregular) CHECK(row >= 0 && row < rows);
        for (const int64_t row : first) CHECK(row >= 0 && row < rows);
    }
    int64_t before = 0;
    for (const BadLine& bad : table.bad) {
        CHECK(bad.line > before && bad.start >= 0 && bad.start <= bad.end && bad.end <= static_cast<int64_t>(text.size()));
        before = bad.line;
    }
}

// JSON Lines, CSV and TSV; of a text in two parts, cut where its last query starts, each part gives its rows.
inline void check_named_columns(std::string_view text) {
    CellTable json = read_json_lines(text, 100, 4300, {nullptr, 0});
    check_cells(json, text, true);
    const Cut cut = last_json_query(text, "q");
    CHECK(cut.at >= 0 && cut.at <= static_cast<int64_t>(text.size()));
    const auto at = static_cast<std::size_t>(cut.at);
    CHECK(at == 0 || text[at - 1] == '\n');
    CHECK(read_json_lines(text.substr(0, at), 100, 0, {nullptr, 0}).lines.size() +
              read_json_lines(text.substr(at), 100, 0, {nullptr, 0}).lines.size() ==
          read_json_lines(text, 100, 0, {nullptr, 0}).lines.size());
    for (const char separator : {',', '\t'}) {
        CellTable table = read_delimited(text, separator, -1, 1 << 20);
        check_cells(table, text, false);
        CellTable rows = read_delimited(text, separator, 2, 3);
        check_cells(rows, text, false);
        const Cut here = last_delimited_query(text, separator, 0, false);
        CHECK(here.at >= 0 && here.at <= static_cast<int64_t>(text.size()) && here.lines <= here.at);
        const auto place = static_cast<std::size_t>(here.at);
        const CellTable first = read_delimited(text.substr(0, place), separator, 2, 1 << 20);
        const CellTable rest = read_delimited(text.substr(place), separator, 2, 1 << 20);
        CHECK(first.lines.size() + rest.lines.size() == read_delimited(text, separator, 2, 1 << 20).lines.size());
    }
}

}  // namespace checks
