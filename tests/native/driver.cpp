// Runs all kernels on random and hostile input, built with AddressSanitizer and UndefinedBehaviorSanitizer. The values
// are tested in tests/kernels; here only undefined behaviour matters.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <thread>

#include "chances.hpp"
#include "checks.hpp"
#include "curves.hpp"
#include "differences.hpp"
#include "finds.hpp"
#include "flips.hpp"
#include "gains.hpp"
#include "links.hpp"
#include "permuting.hpp"
#include "resampling.hpp"
#include "spans.hpp"
#include "stored.hpp"
#include "sums.hpp"
#include "tar.hpp"
#include "trees.hpp"

using namespace partwise;

namespace {

std::mt19937_64 chance(7);
constexpr int64_t FAR = INT64_MAX;

int64_t below(int64_t limit) { return static_cast<int64_t>(chance() % static_cast<uint64_t>(limit)); }

IntView view(const Ints& column) { return {column.data(), static_cast<int64_t>(column.size())}; }

void readers() {
    const std::string pieces[] = {"t1",   "Q0",  "d1",        "1",     "0.5",  "-1e300", "1e999",    "inf",  "9999999999999999999",
                                  "\xff", "\x80", "a:b",      "10:20", "1:",   ":1",     "/a[1]",    "\xc3\xa9", "000000000000000000001",
                                  "-",    ".",   "1.",        ".5",    "1e-400", "1_0",  "123456789012345678", "0x1", std::string(200, 'x')};
    const std::string blanks[] = {" ", "  ", "\t", " \t ", "\r", std::string(1, '\0'), "\x1f"};
    for (int round = 0; round < 4000; ++round) {
        std::string text;
        const int64_t lines = below(9);
        for (int64_t line = 0; line < lines; ++line) {
            const int64_t tokens = below(10);
            for (int64_t i = 0; i < tokens; ++i) text += pieces[below(27)] + blanks[below(7)];
            text += below(10) ? "\n" : "";
        }
        for (const char* kinds : checks::LAYOUTS) checks::check_columns(text, kinds);
        checks::check_passages(text);
        checks::check_text(text);
        checks::check_queries(text);
    }
    const std::string parts[] = {"{", "}", "[", "]", "\"q\"", ":", ",", "1", "-0.5", "1e9", "\"a\\u00e9\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"",
                                 "null", "true", "Infinity", "NaN", "\n", "\r", "\"", "\"\"", "\t", " ", "\xc2\xa0", "\xe3\x80\x80", "\\", "{\"q\":1}\n", "9999999999999999999"};
    for (int round = 0; round < 4000; ++round) {
        std::string text;
        const int64_t count = below(40);
        for (int64_t i = 0; i < count; ++i) text += parts[below(28)];
        checks::check_named_columns(text);
    }
    std::string regular;
    for (int i = 0; i < 20000; ++i)
        regular += std::to_string(i / 100) + " Q0 doc" + std::to_string(below(5000)) + " " + std::to_string(i % 100) + " " +
                   std::to_string(1000.0 / (1 + i % 100)) + " run " + std::to_string(below(9000)) + " " + std::to_string(below(900)) + "\n";
    for (std::size_t cut = 0; cut < 200; ++cut)
        checks::check_columns(std::string(regular, 0, regular.size() - cut).substr(regular.size() - 3000), "s-dnfsnn");
    checks::check_columns(regular, "s-dnfsnn");
    const std::string marks[] = {"<a>", "</a>", "<b/>", "<x:b y='>'>", "</x:b>", "text", "\xc3\xa9", "&amp;", "&#233;", "&#x1F600;", "&no;",
                                 "<!-- c -->", "<![CDATA[<]]>", "<?p?>", "<!DOCTYPE a>", "\r\n", "<", "<!--", "&#", "\"", "]]>",
                                 "<?xml version='1.0'?>", "<x:b xmlns:x='http://x' x:y='&lt;'/>", "<!DOCTYPE a SYSTEM 's'>", "<b", " a='", "\xff"};
    for (int round = 0; round < 20000; ++round) {
        std::string inside;
        for (int64_t i = below(9); i > 0; --i) inside += marks[below(27)];
        checks::check_markup(inside);
        checks::check_markup("<r>" + inside + "</r>");
    }
}

struct Rows {
    Ints owner, group, start, end;
};

Rows rows_of(int64_t count, int shape) {
    Rows rows;
    for (int64_t i = 0; i < count; ++i) {
        int64_t start = 0, end = 0;
        switch (shape) {
            case 0:  // anywhere
                start = below(1000);
                end = start + below(50);
                break;
            case 1:  // near the largest 64-bit integer
                start = FAR - below(1000) - 1;
                end = FAR - below(1000);
                break;
            case 2:  // all the same
                start = 5;
                end = 10;
                break;
            case 3:  // abutting
                start = 10 * i;
                end = 10 * (i + 1);
                break;
            default:  // from 0 to far
                start = 0;
                end = FAR - i;
        }
        rows.owner.push_back(i);
        rows.group.push_back(shape == 0 ? below(3) : 0);
        rows.start.push_back(start);
        rows.end.push_back(end);
    }
    return rows;
}

void spans() {
    for (int shape = 0; shape < 5; ++shape) {
        for (const int64_t count : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{100}, int64_t{1000000}}) {
            const Rows rows = rows_of(count, shape);
            const Ints novel = novel_lengths(view(rows.owner), view(rows.group), view(rows.start), view(rows.end), count);
            CHECK(static_cast<int64_t>(novel.size()) == count);
            for (const bool touching : {false, true}) {
                const Spans merged = merge_spans(view(rows.group), view(rows.start), view(rows.end), touching);
                for (std::size_t i = 1; i < merged.owner.size(); ++i)
                    CHECK(merged.owner[i] > merged.owner[i - 1] || merged.start[i] >= merged.end[i - 1]);
            }
            Ints offsets;
            for (int64_t i = 0; i <= count; ++i) offsets.push_back(i);
            const Ints within{0, count};
            const std::unique_ptr<bool[]> again(new bool[static_cast<std::size_t>(count) + 1]);
            repeated_rows(view(within), view(rows.group), view(offsets), view(rows.start), view(rows.end), again.get());
            // The passages of one document, sorted and disjoint; all rows are in this document.
            const Spans passages = merge_spans(view(Ints(rows.start.size(), 0)), view(rows.start), view(rows.end), false);
            const auto last = static_cast<int64_t>(passages.start.size());
            Ints before{0};
            for (std::size_t i = 0; i < passages.start.size(); ++i)
                before.push_back(before.back() + (passages.end[i] - passages.start[i]));
            const Ints bounds{0, last};
            const Ints pair(rows.start.size(), last ? 0 : -1);
            const Axis axis{view(bounds), view(passages.start), view(passages.end), view(before)};
            const Highlighted rows_found = highlighted_rows(view(pair), view(offsets), view(rows.start), view(rows.end), axis);
            CHECK(rows_found.found.size() == rows_found.fresh.size());
            Ints size, passed, ended;
            for (std::size_t i = 0; i < rows.start.size(); ++i) {
                size.push_back(std::max<int64_t>(rows.end[i] - rows.start[i], 0));
                passed.push_back(below(1000));
                ended.push_back(passed.back() + below(1000));
            }
            const LimitedHighlights limited({view(pair), view(offsets), view(rows.start), view(size), view(passed), view(ended)}, axis);
            for (const bool whole_rows : {false, true}) CHECK(limited.within(700, whole_rows).found.size() == rows.start.size());
            const FreshText text = fresh_stretches(view(within), view(pair), view(offsets), view(rows.start), view(rows.end), axis);
            for (const int64_t row : text.row) CHECK(row >= 0 && row < count);
            const Ints length(rows.start.size(), FAR);
            passages_found(view(pair.empty() || pair[0] < 0 ? Ints{} : pair), view(rows.start), view(length), view(bounds),
                           view(passages.start), view(passages.end), 300, shape % 2);
        }
    }
}

void tables() {
    for (int round = 0; round < 300; ++round) {
        const int64_t count = below(200);
        Ints offsets{0}, found, fresh, size, relevant, query, rank, doc;
        for (int64_t i = 0; i < count; ++i) {
            found.push_back(below(100));
            fresh.push_back(below(found.back() + 1));
            size.push_back(found.back() + below(100));
            query.push_back(i / 20);
            rank.push_back(below(3) ? i : below(5));
            doc.push_back(below(30));
            if (below(15) == 0) offsets.push_back(i);
        }
        offsets.push_back(count);
        for (std::size_t i = 1; i < offsets.size(); ++i) relevant.push_back(below(5000));
        std::vector<double> reals;
        for (int64_t i = 0; i < count; ++i) reals.push_back(static_cast<double>(below(1000)) / 7 * (below(3) - 1));
        ExactSum exact;
        for (const double real : reals) CHECK(exact.add(real));
        CHECK(exact_sum(reals.data(), reals.size()) == exact.rounded());
        std::vector<double> precision(static_cast<std::size_t>(count) + 1), best(relevant.size() * 101 + 1);
        const TextRows rows{view(offsets), view(found), view(fresh), view(size)};
        precision_by_rank(rows, 0.5, precision.data());
        std::vector<Ratio> levels;
        for (uint64_t i = 0; i <= 100; ++i) levels.push_back({Natural(i), Natural(100)});
        best_precision(rows, 0.5, {Natural(1), Natural(2)}, view(relevant), levels, best.data());
        // The same fractions, in numbers beyond 64 bits.
        const Natural wide = Natural(UINT64_MAX) * Natural(UINT64_MAX - 1);
        for (Ratio& level : levels) level = {level.numerator * wide, level.denominator * wide};
        std::vector<double> again(best.size());
        best_precision(rows, 0.5, {wide, wide * Natural(2)}, view(relevant), levels, again.data());
        CHECK(again == best);
        Ints tie(static_cast<std::size_t>(count) + 1), pair(static_cast<std::size_t>(count) + 1);
        ties_in_order(view(query), view(rank), tie.data());
        Ints pair_offsets{0}, pair_doc;
        for (int64_t i = 0; i < 11; ++i) {
            for (int64_t judged = 0; judged < 10; ++judged) pair_doc.push_back(2 * judged);
            pair_offsets.push_back(static_cast<int64_t>(pair_doc.size()));
        }
        pairs_of(view(query), view(doc), view(pair_offsets), view(pair_doc), 20, pair.data());
    }
}

void gains() {
    for (int round = 0; round < 300; ++round) {
        // A random tree in preorder: every node lies within its parent.
        Ints parent{-1}, start{0}, end{10000}, last;
        const int64_t nodes = 1 + below(60);
        for (int64_t i = 1; i < nodes; ++i) {
            int64_t above = i - 1;
            while (below(3) == 0 && parent[static_cast<std::size_t>(above)] >= 0) above = parent[static_cast<std::size_t>(above)];
            const int64_t low = above == i - 1 ? start[static_cast<std::size_t>(above)] : end[static_cast<std::size_t>(i - 1)];
            const int64_t high = end[static_cast<std::size_t>(above)];
            const int64_t from = std::min(low, high) + below(std::max<int64_t>(1, high - std::min(low, high)) + 1) / 2;
            parent.push_back(above);
            start.push_back(std::min(from, high));
            end.push_back(std::min(from, high) + (high - std::min(from, high)) / 2);
        }
        last.assign(static_cast<std::size_t>(nodes), 0);
        for (int64_t i = nodes - 1; i >= 0; --i) {
            auto& after = last[static_cast<std::size_t>(i)];
            after = std::max(after, i + 1);
            if (parent[static_cast<std::size_t>(i)] >= 0) {
                auto& above = last[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
                above = std::max(above, after);
            }
        }
        std::vector<double> value;
        Ints ideal, results, span_offsets{0}, span_start, span_end;
        for (int64_t i = 0; i < nodes; ++i) {
            value.push_back(static_cast<double>(below(5)) / 4);
            if (below(4) == 0) ideal.push_back(i);
        }
        for (int64_t i = 0; i < 40; ++i) {
            const int64_t node = below(nodes + 5) - 5;
            results.push_back(std::max<int64_t>(node, -1));
            span_start.push_back(node >= 0 ? start[static_cast<std::size_t>(node)] : below(12000));
            span_end.push_back(node >= 0 ? end[static_cast<std::size_t>(node)] : span_start.back() + below(500));
            span_offsets.push_back(i + 1);
        }
        const Tree tree{view(parent), view(last), view(start), view(end)};
        const GainingRows rows{{value.data(), nodes}, view(ideal), view(results), view(span_offsets), view(span_start), view(span_end)};
        const Gains result = element_gains(tree, rows, 0.5, round % 2);
        const Ints offsets{0, 0, nodes}, ideals{0, 0, static_cast<int64_t>(ideal.size())}, of_documents{0, 0, 40};
        const Ints of_trees{0, 1};  // the first has no nodes
        const Gains again = element_gains({view(offsets), tree, view(of_trees)}, {view(offsets), view(ideals), view(of_documents)}, rows, 0.5, round % 2);
        CHECK(again.gains == result.gains && again.contributed == result.contributed);
        const Ints second(40, 1);
        Ints node(40);
        nodes_at(view(offsets), view(start), view(end), view(parent), view(second), view(span_start), view(span_end), node.data());
        for (std::size_t i = 0; i < 40; ++i)
            CHECK(node[i] < 0 || (start[static_cast<std::size_t>(node[i])] == span_start[i] && end[static_cast<std::size_t>(node[i])] == span_end[i]));
        for (const double gain : result.gains) CHECK(gain >= 0 && gain <= 1);
    }
}

// Trees of any shape, paths of any kind, and stored trees whose bytes and offsets may be anything.
void trees() {
    const std::vector<std::string_view> words{"/a[1]", "/a", "/a[1]/b[2]", "/a/b/text()[1].3", "/a[1]/text()", "", "/", "a", "/a[", "/a[99999999999]", "/b"};
    for (int round = 0; round < 500; ++round) {
        const int64_t nodes = 1 + below(30);
        Ints parent{-1}, start{0}, end{100}, tag{0}, depth(static_cast<std::size_t>(nodes)), last(static_cast<std::size_t>(nodes));
        for (int64_t i = 1; i < nodes; ++i) {
            parent.push_back(round % 5 ? i - 1 - below(std::min<int64_t>(i, 2)) : below(40) - 5);
            start.push_back(below(100));
            end.push_back(start.back() + below(20));
            tag.push_back(below(3));
        }
        const Ints offsets{0, 0, nodes}, of_tree{1}, of_grades{0, nodes};
        const ElementPaths made = element_paths(view(parent), view(tag), {"a", "bc"});
        CHECK(made.path.empty() || made.path.size() == parent.size());
        CHECK(made.label.size() + 1 == made.paths.offsets.size() || made.path.empty());
        const Ints codes{1, 0}, bounds{0, 5, 9};
        NodeRows rows;
        const TreeBatch batch{view(offsets), view(tag), view(codes), view(parent), view(start), view(end), view(bounds)};
        if (node_rows({batch, batch}, {"a", "bc"}, rows)) CHECK(rows.depth.size() == 2 * nodes && rows.text_bounds[2 * nodes] == 18);
        if (!tree_shapes(view(offsets), view(parent), depth.data(), last.data())) continue;
        std::vector<double> value;
        const std::unique_ptr<bool[]> relevant(new bool[static_cast<std::size_t>(nodes)]);
        for (int64_t i = 0; i < nodes; ++i) {
            value.push_back(static_cast<double>(below(3)) / 2);
            relevant[static_cast<std::size_t>(i)] = below(2) == 0;
        }
        const Grouped ideal = ideal_elements({view(offsets), view(last), view(of_tree), view(of_grades), {value.data(), nodes}, {relevant.get(), nodes}});
        for (const int64_t item : ideal.items) CHECK(item >= 0 && item < nodes && relevant[static_cast<std::size_t>(item)]);
        Ints tree, path;
        for (int64_t i = 0; i < 20; ++i) {
            tree.push_back(1);
            path.push_back(below(11));
        }
        const Located places = locate_paths({view(offsets), view(last), view(start), view(end), view(tag), {"a", "b", "c"}}, words, view(tree), view(path));
        for (const int64_t node : places.node) CHECK(node >= -2 && node < nodes);
    }
    for (int round = 0; round < 3000; ++round) {
        std::string blocks, ids;
        for (int64_t i = below(200); i > 0; --i) blocks += static_cast<char>(below(round % 2 ? 4 : 256));
        for (int64_t i = below(20); i > 0; --i) ids += static_cast<char>('a' + below(3));
        Ints first, length, checksum, of_ids, numbers(3), documents{0, 1, 2, -1, 7};
        std::vector<uint64_t> keys;
        for (int64_t i = 0; i < 4; ++i) {
            first.push_back(below(20) ? below(12) : below(2) ? -below(1 << 30) : int64_t{1} << 62);
            of_ids.push_back(below(10) ? below(20) : (int64_t{1} << 62) * (below(2) ? 1 : -1));
            if (i == 3) break;
            length.push_back(below(1000));
            checksum.push_back(below(2) ? 0 : checksum_of(blocks, 0));
            keys.push_back(name_key("a"));
        }
        const StoredNames names{ids, view(of_ids)};
        const ReadTrees read = read_trees({blocks, view(first), view(length), view(checksum), names, 3}, view(documents));
        CHECK(read.damaged >= 0 && read.offsets.size() <= documents.size());
        const Ints wanted{0, 1, 2, 3};
        find_names(names, {keys.data(), 3}, view(documents), {"aaa", view(wanted)}, numbers.data());
        for (const int64_t number : numbers) CHECK(number >= -3 && number < 3);
        const Ints bounds{0, 2, 2, 5}, column{-1, 0, below(9), -1, int64_t{1} << 40};
        std::string written(80, '\0');
        write_trees({view(bounds), view(length), view(column), view(column), view(column), view(column), names}, written.data(), numbers.data());
        for (const int64_t number : numbers) CHECK(number >= 0 && number <= 0xFFFFFFFF);
    }
    for (int round = 0; round < 3000; ++round) {
        std::string part(static_cast<std::size_t>(below(3000)), '\0');
        if (part.size() > 512 && round % 8) {
            part.replace(0, 5, "a.xml");
            part.replace(124, 11, below(3) ? "00000000" + std::to_string(100 + below(600)) : "77777777777");
            for (int64_t i = below(3); i > 0; --i) part[static_cast<std::size_t>(below(512))] = static_cast<char>(below(256));
            int64_t sum = 8 * 32;
            for (std::size_t i = 0; i < 512; ++i) sum += i < 148 || i >= 156 ? static_cast<unsigned char>(part[i]) : 0;
            char digits[8];
            std::snprintf(digits, sizeof digits, "%06o", static_cast<unsigned>(sum));
            part.replace(148, 7, digits, 7);
        }
        const TarMembers members = read_tar(part);
        CHECK(members.data.size() == members.size.size() && members.next >= static_cast<int64_t>(512 * members.data.size()));
        CHECK(static_cast<std::size_t>(std::count(members.names.begin(), members.names.end(), '\0')) == members.data.size());
    }
}

void names() {
    std::string text;
    for (int i = 0; i < 5000; ++i) text += (i % 3 ? "d" : "a-rather-long-name-") + std::to_string(below(700)) + "\n";
    Columns table = read_columns(text, "d");
    Column& column = table.columns[0];
    const Tokens tokens{text, {column.keys.data(), column.keys.size()}, {column.numbers.data(), column.numbers.size()}, {nullptr, 0}};
    Ints rows, query, pair_offsets{0}, pair_doc, start, end, offsets;
    std::string judged;
    for (int64_t i = 0; i < 300; ++i) {
        start.push_back(static_cast<int64_t>(judged.size()));
        judged += (i % 3 ? "d" : "a-rather-long-name-") + std::to_string(i);
        end.push_back(static_cast<int64_t>(judged.size()));
    }
    for (int64_t i = 0; i < 10; ++i) {
        for (int64_t doc = 0; doc < 300; doc += 1 + i) pair_doc.push_back(doc);
        pair_offsets.push_back(static_cast<int64_t>(pair_doc.size()));
        offsets.push_back(500 * i);
    }
    offsets.push_back(5000);
    for (int64_t i = 0; i < 5000; ++i) {
        rows.push_back(i);
        query.push_back(i / 500);
    }
    Ints pair(5000);
    JudgedNames(judged, view(start), view(end), view(pair_offsets), view(pair_doc)).find(tokens, view(rows), view(query), pair.data());
    for (std::size_t i = 0; i < pair.size(); ++i) {
        if (pair[i] < 0) continue;
        const auto doc = static_cast<std::size_t>(pair_doc[static_cast<std::size_t>(pair[i])]);
        CHECK(tokens.at(static_cast<int64_t>(i)) == std::string_view(judged).substr(static_cast<std::size_t>(start[doc]), static_cast<std::size_t>(end[doc] - start[doc])));
    }
    const Firsts documents = documents_of(tokens, view(rows), view(offsets));
    for (std::size_t i = 0; i < documents.of_row.size(); ++i) {
        const int64_t first = documents.first[static_cast<std::size_t>(documents.of_row[i])];
        CHECK(first <= static_cast<int64_t>(i) && tokens.at(first) == tokens.at(static_cast<int64_t>(i)));
    }
    const std::unique_ptr<bool[]> again(new bool[5001]);
    Ints single;
    for (int64_t i = 0; i <= 5000; ++i) single.push_back(i);
    const Ints zeros(5000, 0);
    repeated_tokens(tokens, view(rows), view(offsets), view(single), view(zeros), view(zeros), again.get());
}

// Several threads read blocks and look up the same judged documents.
void threads() {
    std::string names, text;
    Ints start, end, pair_offsets{0}, pair_doc;
    for (int64_t doc = 0; doc < 300; ++doc) {
        start.push_back(static_cast<int64_t>(names.size()));
        names += (doc % 3 ? "d" : "a-document-with-a-long-name-") + std::to_string(doc);
        end.push_back(static_cast<int64_t>(names.size()));
        pair_doc.push_back(doc);
    }
    pair_offsets.push_back(300);
    for (int64_t i = 0; i < 3000; ++i) {
        const int64_t doc = below(400);
        text += "t Q0 " + ((doc % 3 ? "d" : "a-document-with-a-long-name-") + std::to_string(doc)) + " 1 0.5 r 10 20\n";
    }
    const JudgedNames judged(names, view(start), view(end), view(pair_offsets), view(pair_doc));
    const auto pairs = [&] {
        Columns table = read_columns(text, "s-dnfsnn");
        const int64_t rows = table.lines.size();
        Ints every, query(static_cast<std::size_t>(rows), 0), pairs(static_cast<std::size_t>(rows));
        for (int64_t row = 0; row < rows; ++row) every.push_back(row);
        Column& docs = table.columns[2];
        judged.find({text, {docs.keys.data(), rows}, {docs.numbers.data(), rows}, {nullptr, 0}}, view(every), view(query), pairs.data());
        return pairs;
    };
    const Ints expected = pairs();
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; ++i) workers.emplace_back([&] { CHECK(pairs() == expected); });
    for (std::thread& worker : workers) worker.join();
}

double any_chance() {
    constexpr double chances[] = {0.0, 5e-324, 1e-310, 1e-160, 0.25, 0.5, 1.0};
    const int64_t choice = below(8);
    return choice < 7 ? chances[choice] : static_cast<double>(below(1000)) / 1000;
}

// Links unit by unit; consecutive links of a unit are at most `gap` steps apart.
void counts_of(int64_t queries, int64_t units, int64_t count, int64_t gap, int64_t most_needed) {
    Ints query, unit, step, steps, need, rank;
    std::vector<double> before, after;
    for (int64_t i = 0; i < queries; ++i) {
        steps.push_back(below(4) ? count : 0);
        need.push_back(below(most_needed + 2) - 1);
        for (int64_t j = 0; j < steps.back(); ++j) rank.push_back(j + 1 + below(2));
        for (int64_t j = 0; j < units; ++j) {
            double missed = 1;
            for (int64_t at = below(gap); at < steps.back(); at += 1 + below(gap)) {
                query.push_back(i);
                unit.push_back(j);
                step.push_back(at);
                before.push_back(1 - missed);
                missed *= 1 - any_chance();
                after.push_back(1 - missed);
            }
        }
    }
    const auto size = static_cast<int64_t>(query.size());
    const SeenLinks links{view(query), view(unit), view(step), {before.data(), size}, {after.data(), size}, view(steps)};
    std::vector<double> few(rank.size()), quiet(rank.size()), effort(steps.size());
    chances_below(links, view(need), few.data(), quiet.data());
    mean_effort(links, view(rank), view(Ints(steps.size(), units + 1)), effort.data());
    for (std::size_t i = 0; i < rank.size(); ++i) CHECK(few[i] >= 0 && few[i] <= 1 && quiet[i] >= 0 && quiet[i] <= 1);
}

void chances() {
    for (int round = 0; round < 500; ++round) counts_of(below(4), below(20), 1 + below(40), 1 + below(9), 20);
    counts_of(4, 1, 1000000, 1, 1);            // one unit, linked at every step
    counts_of(4, 1000, 1000, 1000000, 5);      // most units are not linked at all
    counts_of(4, 100000, 1, 1, 5);             // all units at one step
    for (int shape = 0; shape < 6; ++shape) {
        for (const int64_t count : {int64_t{0}, int64_t{1}, int64_t{300}}) {
            const Rows a = rows_of(count, shape), b = rows_of(count, shape);
            Ints offsets;
            for (int64_t i = 0; i <= count; ++i) offsets.push_back(i);
            const Shared shared = shared_lengths({view(a.group), view(offsets), view(a.start), view(a.end)},
                                                 {view(b.group), view(offsets), view(b.start), view(b.end)}, true);
            for (const int64_t length : shared.length) CHECK(length > 0);
            for (std::size_t i = 0; i < shared.fresh.size(); ++i)
                CHECK(shared.fresh[i] >= 0 && shared.fresh[i] <= shared.length[i]);
            const Ints whole = shared.length;
            const Ints found = closest_finds(view(shared.first), view(shared.second), view(shared.length), view(whole), count);
            for (const int64_t row : found) CHECK(row >= -1 && row < count);
        }
    }
    for (int round = 0; round < 300; ++round) {
        std::vector<Ints> a(3), b(3);
        for (std::vector<Ints>* table : {&a, &b})
            for (int64_t i = below(50); i > 0; --i)
                for (Ints& column : *table) column.push_back(below(3));
        const Pairs pairs = equal_rows({view(a[0]), view(a[1]), view(a[2])}, {view(b[0]), view(b[1]), view(b[2])});
        for (std::size_t i = 0; i < pairs.first.size(); ++i)
            for (std::size_t column = 0; column < 3; ++column)
                CHECK(a[column][static_cast<std::size_t>(pairs.first[i])] == b[column][static_cast<std::size_t>(pairs.second[i])]);
    }
    for (int round = 0; round < 300; ++round) {
        Ints owner;
        std::vector<double> values;
        for (int64_t i = below(300); i > 0; --i) {
            owner.push_back(below(10));
            values.push_back(any_chance());
        }
        const RealView chance{values.data(), static_cast<int64_t>(values.size())};
        for (const double mean : mean_over_orders(view(owner), chance, 12)) CHECK(mean >= 0 && mean <= 1 + 1e-12);
        std::sort(owner.begin(), owner.end());
        std::vector<double> products(values.size());
        running_products(chance, view(owner), products.data());
        for (std::size_t i = 0; i < products.size(); ++i) CHECK(products[i] >= 0 && products[i] <= values[i]);
    }
}

void resampling() {
    for (int round = 0; round < 300; ++round) {
        const int64_t queries = below(70), columns = below(round % 3 ? 40 : 140), trials = below(600);
        std::vector<Stream> streams;
        for (int64_t left = trials, key = 0; left > 0; left -= streams.back().trials, ++key)
            streams.push_back({seeded({static_cast<uint32_t>(chance())}, static_cast<uint64_t>(key)), std::min(left, below(200))});
        std::vector<double> values, reached;
        for (int64_t i = 0; i < queries * columns; ++i) values.push_back(static_cast<double>(below(5)) / 4);
        Ints first, second;
        for (int64_t pair = queries && columns ? below(20) : 0; pair > 0; --pair) {
            first.push_back(below(columns));
            second.push_back(below(columns));
            reached.push_back(static_cast<double>(below(round % 2 ? 9 : 60)) / 2);
        }
        const std::vector<uint8_t> packed = random_signs(streams, queries);
        const PackedSigns signs{{packed.data(), static_cast<int64_t>(packed.size())}, queries};
        const RealView columns_of{values.data(), static_cast<int64_t>(values.size())};
        const RealView least{reached.data(), static_cast<int64_t>(reached.size())};
        std::vector<double> apart(first.size() * static_cast<std::size_t>(queries));
        write_differences(columns_of, queries, view(first), view(second), 0.25, apart.data());
        const RealView all_apart{apart.data(), static_cast<int64_t>(first.size()) * queries};
        CHECK(row_sums(all_apart, queries).total.size() == (queries ? first.size() : 0));
        CHECK(changed_sums(columns_of, queries, view(first), view(second), all_apart).size() == first.size());
        for (const double difference : apart) CHECK(difference == 0 || std::fabs(difference) > 0.25);
        for (const bool one_sided : {false, true})
            for (const int64_t count : flip_counts(signs, columns_of, view(first), view(second), least, one_sided))
                CHECK(count >= 0 && count <= trials);
    }
    for (int round = 0; round < 300; ++round) {
        const int64_t queries = 1 + below(9), runs = 1 + below(round % 3 ? 40 : 200), measures = 1 + below(4);
        std::vector<Stream> streams;
        int64_t trials = 0;
        for (int64_t i = below(12); i > 0; --i) {
            streams.push_back({{chance(), chance(), chance(), chance() | 1}, below(6)});
            trials += streams.back().trials;
        }
        std::vector<double> values, ranges(static_cast<std::size_t>(trials * measures));
        for (int64_t i = 0; i < queries * runs * measures; ++i) values.push_back(static_cast<double>(below(5)));
        const Grid grid{{values.data(), static_cast<int64_t>(values.size())}, queries, runs, measures};
        permuted_ranges(streams, grid, ranges.data());
        for (const double range : ranges) CHECK(range >= 0 && range <= 4.0 * static_cast<double>(queries));
    }
    for (int round = 0; round < 300; ++round) {
        const int64_t count = 1 + below(70), kept = below(count + 1), trials = below(20);
        Ints permutations(static_cast<std::size_t>(trials * kept));
        write_permutations({chance(), chance(), chance(), chance() | 1}, count, trials, kept, permutations.data());
        for (const int64_t number : permutations) CHECK(number >= 0 && number < count);
    }
    for (int round = 0; round < 300; ++round) {
        const int64_t size = 1 + below(5), queries = 2 * size + below(3), trials = below(5), count = 1 + below(9);
        Ints offsets{0}, orders;
        for (int64_t measures = 1 + below(3); measures > 0; --measures) offsets.push_back(offsets.back() + below(5));
        std::vector<double> values;
        for (int64_t i = 0; i < queries * offsets.back(); ++i) values.push_back(round % 3 ? static_cast<double>(below(9)) / 8 : (below(2) ? 1e308 : NAN));
        for (int64_t i = 0; i < 2 * size * trials; ++i) orders.push_back(below(queries));
        int64_t pairs = 0, total = 0;
        for (std::size_t i = 0; i + 1 < offsets.size(); ++i) pairs += (offsets[i + 1] - offsets[i]) * (offsets[i + 1] - offsets[i] - 1) / 2;
        const RealView by_query{values.data(), static_cast<int64_t>(values.size())};
        const DifferenceSteps in_steps{1e-9, 400, 1e-9, count};
        for (const int64_t found : swap_counts({view(orders), size}, by_query, view(offsets), in_steps)) total += found;
        CHECK(total == pairs * trials);
    }
    for (int round = 0; round < 300; ++round) {
        std::vector<int32_t> edges;
        for (int64_t i = below(20); i > 0; --i) edges.push_back(static_cast<int32_t>(below(2) ? below(100) : static_cast<int64_t>(chance())));
        if (round % 3 == 0) std::sort(edges.begin(), edges.end());
        Ints packed(2 * edges.size() + 1);
        (void)text_cells<int32_t>({edges.data(), static_cast<int64_t>(edges.size())}, 100, round % 2 ? FAR : 5, packed.data());
    }
}

}  // namespace

int main(int count, char** words) {
    if (count > 1 && std::string(words[1]) == "threads") {
        threads();
        std::puts("no race");
        return 0;
    }
    threads();
    readers();
    spans();
    tables();
    gains();
    trees();
    names();
    chances();
    resampling();
    std::puts("all kernels ran");
    return 0;
}
