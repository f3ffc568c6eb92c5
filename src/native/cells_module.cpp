// Binds the readers of named columns, and what the cells of a column hold.
#include <memory>
#include <string>

#include "cells.hpp"
#include "delimited.hpp"
#include "json.hpp"
#include "module.hpp"

namespace partwise {
namespace {

using KindArray = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::list bad_lines(const std::vector<BadLine>& bad) {
    nb::list list;
    for (const BadLine& line : bad) list.append(nb::make_tuple(line.line, line.start, line.end, line.what, line.count));
    return list;
}

// (columns, line of each row, problems, lines with half characters, line of the header); a column is (name, start, end,
// kind, rows), with no rows if it has a cell in each.
nb::tuple cells_of(CellTable& table) {
    nb::list columns;
    for (CellColumn& column : table.columns)
        columns.append(nb::make_tuple(nb::bytes(column.name.data(), column.name.size()), array(std::move(column.start)),
                                      array(std::move(column.end)), array(std::move(column.kind)),
                                      array(std::move(column.rows))));
    return nb::make_tuple(columns, array(std::move(table.lines)), bad_lines(table.bad), bad_lines(table.halved),
                          table.line);
}

nb::tuple json_lines(const Bytes& data, int64_t deepest, int64_t most_digits, const IntArray& skipped) {
    CellTable table;
    {
        const Unlocked unlocked(data.size());
        table = read_json_lines(text_of(data), deepest, most_digits, view(skipped));
    }
    return cells_of(table);
}

nb::tuple delimited(const Bytes& data, char separator, int64_t columns, int64_t longest) {
    CellTable table;
    {
        const Unlocked unlocked(data.size());
        table = read_delimited(text_of(data), separator, columns, longest);
    }
    return cells_of(table);
}

int64_t json_query(const Bytes& data, const Bytes& key) {
    const Unlocked unlocked(data.size());
    return last_json_query(text_of(data), text_of(key));
}

nb::tuple delimited_query(const Bytes& data, char separator, int64_t column, bool has_header) {
    Cut cut;
    {
        const Unlocked unlocked(data.size());
        cut = last_delimited_query(text_of(data), separator, column, has_header);
    }
    return nb::make_tuple(cut.at, cut.lines);
}

CellView cells_in(const Bytes& data, const IntArray& start, const IntArray& end, const KindArray& kind) {
    return {text_of(data), view(start), view(end), kind.data()};
}

nb::tuple naturals(const Bytes& data, const IntArray& start, const IntArray& end, const KindArray& kind, int64_t largest) {
    auto value = std::make_unique<int64_t[]>(start.size() + 1);
    Ints irregular;
    {
        const Unlocked unlocked(start.size());
        cell_naturals(cells_in(data, start, end, kind), largest, value.get(), irregular);
    }
    return nb::make_tuple(array(value.release(), start.size()), array(std::move(irregular)));
}

nb::tuple reals(const Bytes& data, const IntArray& start, const IntArray& end, const KindArray& kind) {
    auto value = std::make_unique<double[]>(start.size() + 1);
    Ints irregular;
    {
        const Unlocked unlocked(start.size());
        cell_reals(cells_in(data, start, end, kind), value.get(), irregular);
    }
    return nb::make_tuple(array(value.release(), start.size()), array(std::move(irregular)));
}

// (code of each row, the distinct texts one after another, start and end of each, irregular rows).
nb::tuple texts_of(const Bytes& data, const IntArray& start, const IntArray& end, const KindArray& kind) {
    auto code = std::make_unique<int64_t[]>(start.size() + 1);
    CellTexts texts;
    Ints irregular;
    {
        const Unlocked unlocked(start.size());
        cell_texts(cells_in(data, start, end, kind), code.get(), texts, irregular);
    }
    return nb::make_tuple(array(code.release(), start.size()), nb::bytes(texts.text.data(), texts.text.size()),
                          array(std::move(texts.names.starts())), array(std::move(texts.names.ends())),
                          array(std::move(irregular)));
}

nb::object lengths(const Bytes& data, const IntArray& start, const IntArray& end, const KindArray& kind) {
    auto length = std::make_unique<int64_t[]>(start.size() + 1);
    {
        const Unlocked unlocked(start.size());
        cell_lengths(cells_in(data, start, end, kind), length.get());
    }
    return array(length.release(), start.size());
}

nb::tuple codes(const Bytes& data, const IntArray& start, const IntArray& end, const KindArray& kind) {
    auto code = std::make_unique<int64_t[]>(start.size() + 1);
    Ints first;
    {
        const Unlocked unlocked(start.size());
        first = cell_codes(cells_in(data, start, end, kind), code.get());
    }
    return nb::make_tuple(array(code.release(), start.size()), array(std::move(first)));
}

}  // namespace

void bind_cells(nb::module_& module) {
    module.def("_read_json_lines", &json_lines);
    module.def("_read_delimited", &delimited);
    module.def("_last_json_query", &json_query);
    module.def("_last_delimited_query", &delimited_query);
    module.def("_cell_naturals", &naturals);
    module.def("_cell_reals", &reals);
    module.def("_cell_texts", &texts_of);
    module.def("_cell_lengths", &lengths);
    module.def("_cell_codes", &codes);
}

}  // namespace partwise
