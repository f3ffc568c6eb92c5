// Prints a checksum of what the readers return for random text, and of random permutations: the same with and without
// PARTWISE_PORTABLE.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "columns.hpp"
#include "digits.hpp"
#include "json.hpp"
#include "permuting.hpp"
#include "signs.hpp"
#include "text.hpp"

using namespace partwise;

namespace {

uint64_t total = 0;

void add(uint64_t value) { total = (total ^ (total >> 31) ^ value) * 0x9E3779B97F4A7C15u; }

void add(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    add(bits);
}

}  // namespace

int main() {
    std::mt19937_64 chance(7);
    const std::string pieces[] = {"t1", "d-with-a-long-name", "1", "0.5", "-1e300", "1234567.8901", "99999999999999999999", "x", "\xff", "."};
    const std::string blanks[] = {" ", "\t", "  ", "\n", " \n", "\r\n"};
    for (int round = 0; round < 3000; ++round) {
        std::string text;
        for (uint64_t i = chance() % 60; i > 0; --i) text += pieces[chance() % 10] + blanks[chance() % 6];
        for (const char* kinds : {"sdf", "ff", "n", "oi"}) {
            Columns table = read_columns(text, kinds);
            add(table.problems.size());
            for (int64_t row = 0; row < table.lines.size(); ++row) {
                add(static_cast<uint64_t>(table.lines[row]));
                for (Column& column : table.columns) {
                    if (column.kind == 'f')
                        add(column.reals[row]);
                    else
                        add(static_cast<uint64_t>(column.numbers[row]));
                }
            }
        }
        add(static_cast<uint64_t>(lowest_bit(chance() << (round % 64) | uint64_t{1} << 63)));
        const double values[] = {static_cast<double>(chance()) / 3, std::ldexp(static_cast<double>(chance()), -70), 0.25, -0.0};
        const int64_t offsets[] = {0, 1, 4};
        for (const char c : json_lists({values, 4}, {offsets, 3}, 1 + round % 17)) add(static_cast<uint64_t>(c));
    }
    const std::string strings[] = {"x", "word ", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\xc3\xa9", "\"", "\\", "\x01", "ud/bfnrt"};
    const std::string nested[] = {"{\"a\": 1}", "{\"a\": \"\\n\", \"b\": [1, 2]}", "{\"a\": [1, 2}", "[]", "[[1], {}]"};
    for (int round = 0; round < 20000; ++round) {
        std::string text;
        for (uint64_t lines = chance() % 4; lines > 0; --lines) {
            text += "{\"key\": \"";
            const uint64_t kinds = chance() % 4 ? 8 : 12;  // the last ones are rarely valid
            for (uint64_t i = chance() % 40; i > 0; --i) text += strings[chance() % kinds];
            text += "\", \"n\": 123456789012, \"m\": " + nested[chance() % 5] + "}\n";
        }
        CellTable table = read_json_lines(text, 100, 0, {nullptr, 0});
        add(table.bad.size());
        add(table.halved.size());
        for (const CellColumn& column : table.columns) {
            Ints numbers;
            for (const Cell& cell : column.cells) numbers.insert(numbers.end(), {cell.start, cell.packed});
            for (const int64_t number : numbers) add(static_cast<uint64_t>(number));
            Ints lengths(column.cells.size());
            cell_lengths({text, {numbers.data(), static_cast<int64_t>(numbers.size())}}, nullptr, lengths.data());
            for (const int64_t length : lengths) add(static_cast<uint64_t>(length));
        }
        add(static_cast<uint64_t>(last_json_query(text, "key").at));
    }
    for (int round = 0; round < 300; ++round) {
        const int64_t queries = 1 + static_cast<int64_t>(chance() % 9), runs = 1 + static_cast<int64_t>(chance() % 150);
        std::vector<Stream> streams;
        std::vector<double> values;
        for (uint64_t i = chance() % 12; i > 0; --i) streams.push_back({{chance(), chance(), chance(), chance() | 1}, 5});
        for (int64_t i = 0; i < queries * runs * 3; ++i) values.push_back(static_cast<double>(chance()));
        std::vector<double> ranges(streams.size() * 5 * 3);
        permuted_ranges(streams, {{values.data(), queries * runs * 3}, queries, runs, 3}, ranges.data());
        for (const double range : ranges) add(range);
        for (const uint8_t index : random_signs(streams, runs)) add(uint64_t{index});
        add(seeded({static_cast<uint32_t>(chance()), 5}, chance()).state_high);
        Ints permutations(static_cast<std::size_t>(4 * runs));
        write_permutations({chance(), chance(), chance(), chance() | 1}, runs, 4, runs, permutations.data());
        for (const int64_t number : permutations) add(static_cast<uint64_t>(number));
    }
    std::printf("%llu\n", static_cast<unsigned long long>(total));
    return 0;
}
