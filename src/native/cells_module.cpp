// Binds the readers of named columns, and what the cells of a column hold.
#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>
#include <string>

#include "cells.hpp"
#include "delimited.hpp"
#include "json.hpp"
#include "module.hpp"

namespace partwise {
namespace {

nb::list bad_lines(const std::vector<BadLine>& bad) {
    nb::list list;
    for (const BadLine& line : bad) list.append(nb::make_tuple(line.line, line.start, line.end, line.what, line.count));
    return list;
}

// The numbers of cells, one cell after another.
nb::object array_of_cells(std::vector<Cell>&& cells) {
    static_assert(sizeof(Cell) == 2 * sizeof(int64_t));
    const std::size_t size = 2 * cells.size();
    if (size <= FEW) return array_of_few(reinterpret_cast<const int64_t*>(cells.data()), size);
    auto held = std::make_unique<std::vector<Cell>>(std::move(cells));
    auto* data = reinterpret_cast<int64_t*>(held->data());
    nb::capsule owner(held.release(), [](void* vector) noexcept { delete static_cast<std::vector<Cell>*>(vector); });
    return as_own_type<int64_t>(nb::cast(nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>(data, {size}, owner)));
}

// (columns, line of each row, problems, lines with half characters, line of the header); a column is (name, cells,
// rows), with no rows if it has a cell in each up to its last.
nb::tuple cells_of(CellTable& table) {
    nb::list columns;
    for (CellColumn& column : table.columns)
        columns.append(nb::make_tuple(nb::bytes(column.name.data(), column.name.size()),
                                      array_of_cells(std::move(column.cells)), array(std::move(column.rows))));
    return nb::make_tuple(columns, array(std::move(table.lines)), bad_lines(table.bad), bad_lines(table.halved), table.line);
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

nb::tuple json_query(const Bytes& data, const Bytes& key) {
    Cut cut;
    {
        const Unlocked unlocked(data.size());
        cut = last_json_query(text_of(data), text_of(key));
    }
    return nb::make_tuple(cut.at, cut.lines);
}

nb::tuple delimited_query(const Bytes& data, char separator, int64_t column, bool has_header) {
    Cut cut;
    {
        const Unlocked unlocked(data.size());
        cut = last_delimited_query(text_of(data), separator, column, has_header);
    }
    return nb::make_tuple(cut.at, cut.lines);
}

// The cells of texts that follow one another; None if the edges, of 32 or 64 bits, are not ascending, or not within a text
// of this size.
nb::object cells_between(const NumberArray& edges, int64_t largest, int64_t shift) {
    const auto size = static_cast<int64_t>(edges.size());
    const std::size_t numbers = size ? 2 * (edges.size() - 1) : 0;
    const bool is_wide = edges.dtype() == nb::dtype<int64_t>();
    if (!is_wide && edges.dtype() != nb::dtype<int32_t>()) throw nb::type_error("edges must be whole numbers");
    auto packed = unset<int64_t>(numbers);
    bool good;
    {
        const Unlocked unlocked(edges.size());
        const void* data = edges.data();
        good = is_wide ? text_cells<int64_t>({static_cast<const int64_t*>(data), size}, largest, shift, packed.get())
                       : text_cells<int32_t>({static_cast<const int32_t*>(data), size}, largest, shift, packed.get());
    }
    return good ? array(packed.release(), numbers) : nb::none();
}

nb::object texts_of_views(const Bytes& views, const nb::list& buffers) {
    std::vector<Bytes> held(buffers.size());
    std::vector<std::string_view> texts;
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (!held[i].read(buffers[i])) throw nb::type_error("the buffers of views must be bytes");
        texts.push_back(text_of(held[i]));
    }
    std::string text;
    Ints packed;
    bool good;
    {
        const Unlocked unlocked(views.size());
        good = view_texts(text_of(views), texts, text, packed);
    }
    if (!good) return nb::none();
    return nb::make_tuple(nb::bytes(text.data(), text.size()), array(std::move(packed)));
}

CellView cells_in(const Bytes& data, const IntArray& packed) {
    return {text_of(data), view(packed)};
}

nb::tuple naturals(const Bytes& data, const IntArray& packed, int64_t largest) {
    auto value = unset<int64_t>(packed.size() / 2);
    Ints irregular;
    {
        const Unlocked unlocked(packed.size() / 2);
        cell_naturals(cells_in(data, packed), largest, value.get(), irregular);
    }
    return nb::make_tuple(array(value.release(), packed.size() / 2), array(std::move(irregular)));
}

nb::tuple reals(const Bytes& data, const IntArray& packed) {
    auto value = unset<double>(packed.size() / 2);
    Ints irregular;
    {
        const Unlocked unlocked(packed.size() / 2);
        cell_reals(cells_in(data, packed), value.get(), irregular);
    }
    return nb::make_tuple(array(value.release(), packed.size() / 2), array(std::move(irregular)));
}

// (code of each row, the distinct texts one after another, start and end of each, irregular rows).
nb::tuple texts_of(const Bytes& data, const IntArray& packed) {
    auto code = unset<int64_t>(packed.size() / 2);
    CellTexts texts;
    Ints irregular;
    {
        const Unlocked unlocked(packed.size() / 2);
        cell_texts(cells_in(data, packed), code.get(), texts, irregular);
    }
    return nb::make_tuple(array(code.release(), packed.size() / 2), nb::bytes(texts.text.data(), texts.text.size()),
                          array(std::move(texts.names.starts())), array(std::move(texts.names.ends())),
                          array(std::move(irregular)));
}

// (the texts one after another, the key of each, their edges); None if one of them is not a token.
nb::object tokens_of_cells(nb::handle text_of_cells, const IntArray& packed) {
    Bytes data;
    if (!data.read(text_of_cells)) throw nb::type_error("the text of cells must be bytes");
    const std::size_t rows = packed.size() / 2;
    const CellView cells = cells_in(data, packed);
    TokenBytes bytes;
    {
        const Unlocked unlocked(rows);
        bytes = token_bytes(cells);
    }
    if (bytes.count < 0) return nb::none();
    nb::object text = nb::borrow(text_of_cells);
    char* to = nullptr;
    if (!bytes.adjacent) {
        text = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes.count)));
        if (!text.is_valid()) nb::raise_python_error();
        to = PyBytes_AS_STRING(text.ptr());
    }
    auto key = unset<uint64_t>(rows);
    auto start = unset<int64_t>(rows);
    {
        const Unlocked unlocked(rows);
        copy_tokens(cells, bytes.count, to, key.get(), start.get());
    }
    return nb::make_tuple(text, array(key.release(), rows), array(start.release(), rows + 1));
}

nb::object lengths(const Bytes& data, const IntArray& packed, const std::optional<IntArray>& expected) {
    if (expected && expected->size() != packed.size() / 2) throw nb::value_error("every cell needs an expected length");
    auto length = unset<int64_t>(packed.size() / 2);
    {
        const Unlocked unlocked(packed.size() / 2);
        cell_lengths(cells_in(data, packed), expected ? expected->data() : nullptr, length.get());
    }
    return array(length.release(), packed.size() / 2);
}

nb::tuple codes(const Bytes& data, const IntArray& packed) {
    auto code = unset<int64_t>(packed.size() / 2);
    Ints first;
    {
        const Unlocked unlocked(packed.size() / 2);
        first = cell_codes(cells_in(data, packed), code.get());
    }
    return nb::make_tuple(array(code.release(), packed.size() / 2), array(std::move(first)));
}

}  // namespace

void bind_cells(nb::module_& module) {
    module.def("_read_json_lines", &json_lines);
    module.def("_read_delimited", &delimited);
    module.def("_last_json_query", &json_query);
    module.def("_last_delimited_query", &delimited_query);
    module.def("text_cells", &cells_between);
    module.def("view_texts", &texts_of_views);
    module.def("_cell_naturals", &naturals);
    module.def("_cell_reals", &reals);
    module.def("_cell_texts", &texts_of);
    module.def("_cell_tokens", &tokens_of_cells);
    module.def("_cell_lengths", &lengths, nb::arg("data"), nb::arg("cells"), nb::arg("expected").none());
    module.def("_cell_codes", &codes);
}

}  // namespace partwise
