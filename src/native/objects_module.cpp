// Binds the reader of Python objects: rows become columns of cells, and cells become codes and numbers.
//
// Only objects whose type is exactly a built-in one are read here, because reading these runs no Python code. All others
// are passed to a function in Python, or their rows are returned as irregular. The interpreter lock is held throughout.
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "module.hpp"
#include "names.hpp"

namespace partwise {
namespace {

bool is_list(PyObject* value) { return PyList_CheckExact(value) || PyTuple_CheckExact(value); }

// The size may change while a function in Python runs, so it is asked for each item.
PyObject* item_at(PyObject* list, Py_ssize_t i) {
    return PyList_CheckExact(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i);
}
Py_ssize_t size_of(PyObject* list) {
    return PyList_CheckExact(list) ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list);
}

nb::object interned(const char* text) { return nb::steal(PyUnicode_InternFromString(text)); }

// ---- the shape of what a user gives ---------------------------------------------------------------------------

// The names of the column for the query. Other names that were looked up are remembered by their addresses, which is
// safe because nothing is freed while an answer is computed.
class QueryNames {
  public:
    explicit QueryNames(nb::handle names) : names_(names) {}

    // Whether a dict has one of the names: 1 or 0; -1 if a key is not a string.
    int in(PyObject* dict) {
        PyObject *key, *cell;
        Py_ssize_t at = 0;
        while (PyDict_Next(dict, &at, &key, &cell)) {
            if (key == others_[0] || key == others_[1] || key == others_[2] || key == others_[3]) continue;
            if (!PyUnicode_CheckExact(key)) return -1;
            const int has = PySet_Contains(names_.ptr(), key);
            if (has < 0) nb::raise_python_error();
            if (has) return 1;
            others_[next_++ % others_.size()] = key;
        }
        return 0;
    }

  private:
    nb::handle names_;
    std::array<PyObject*, 4> others_{};
    std::size_t next_ = 0;
};

// Whether the items of a list are rows (dicts, some with a query): 1 or 0; -1 if that is not known without Python code.
int are_rows(PyObject* list, QueryNames& names) {
    const Py_ssize_t size = size_of(list);
    bool is_known = true;
    for (Py_ssize_t i = 0; i < size; ++i) {
        PyObject* item = item_at(list, i);
        if (PyDict_CheckExact(item)) continue;
        // neither a mapping nor a named tuple
        if (is_list(item) || PyUnicode_CheckExact(item) || item == Py_None || PyLong_CheckExact(item)) return 0;
        is_known = false;
    }
    if (!is_known) return -1;
    for (Py_ssize_t i = 0; i < size; ++i) {
        const int has = names.in(item_at(list, i));
        if (has) return has;
    }
    return 0;
}

nb::object rows_or_not(nb::handle value, nb::handle names) {
    if (!is_list(value.ptr())) return nb::none();
    QueryNames of_query(names);
    const int answer = are_rows(value.ptr(), of_query);
    return answer < 0 ? nb::none() : nb::object(nb::bool_(answer == 1));
}

// Whether all values are numbers: 1 or 0; -1 if that is not known.
int are_numbers(PyObject* dict) {
    PyObject *key, *cell;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &cell)) {
        if (PyFloat_CheckExact(cell) || PyLong_CheckExact(cell) || PyBool_Check(cell)) continue;
        return PyUnicode_CheckExact(cell) || PyDict_CheckExact(cell) || is_list(cell) || cell == Py_None ? 0 : -1;
    }
    return 1;
}

// Whether values may be the results of queries, and those of them, up to the first that is not, that need a closer look.
nb::tuple lists_by_query(const nb::list& values, nb::handle names) {
    QueryNames of_query(names);
    nb::list unknown;
    for (std::size_t i = 0; i < values.size(); ++i) {
        PyObject* value = PyList_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i));
        int answer = -1;
        if (value == Py_None)
            answer = 1;
        else if (PyUnicode_CheckExact(value))
            answer = 0;
        else if (PyDict_CheckExact(value))
            answer = are_numbers(value);
        else if (is_list(value)) {
            const int rows = are_rows(value, of_query);
            answer = rows < 0 ? -1 : 1 - rows;
        }
        if (answer == 0) return nb::make_tuple(unknown, false);
        if (answer < 0) unknown.append(nb::handle(value));
    }
    return nb::make_tuple(unknown, true);
}

// ---- rows to columns of cells ---------------------------------------------------------------------------------

// Columns in the order in which their names first occur; a cell that a row does not have is None.
class Cells {
  public:
    explicit Cells(nb::handle cells_of) : cells_of_(cells_of) {}

    Py_ssize_t rows() const { return rows_; }

    void begin_row() {
        ++rows_;
        next_ = 0;
    }

    // No Python code runs if the name is a string.
    void add(nb::handle name, nb::handle cell) {
        if (next_ >= columns_.size() || columns_[next_].name.ptr() != name.ptr()) next_ = place_of(name);
        PyObject* cells = columns_[next_].cells.ptr();
        ++next_;
        fill(cells, rows_ - 1);
        if (PyList_GET_SIZE(cells) == rows_) {  // the query of a part itself takes precedence
            if (PyList_SetItem(cells, rows_ - 1, Py_NewRef(cell.ptr())) < 0) nb::raise_python_error();
        } else if (PyList_Append(cells, cell.ptr()) < 0) {
            nb::raise_python_error();
        }
    }

    // The cells of a mapping; `query` is passed on to the function in Python.
    void add_item(nb::handle query, nb::handle item) {
        if (!PyDict_CheckExact(item.ptr()) || !add_dict(item.ptr())) add_pairs(cells_of_(query, item));
    }

    nb::dict named() {
        nb::dict columns;
        for (Column& column : columns_) {
            fill(column.cells.ptr(), rows_);
            columns[column.name] = column.cells;
        }
        return columns;
    }

  private:
    struct Column {
        nb::object name;
        nb::list cells;
    };

    // Whether all names are strings; cells that were added nevertheless are added again by `add_pairs`.
    bool add_dict(PyObject* dict) {
        PyObject *name, *cell;
        Py_ssize_t at = 0;
        while (PyDict_Next(dict, &at, &name, &cell)) {
            if (!PyUnicode_CheckExact(name)) return false;
            add(nb::borrow(name), nb::borrow(cell));
        }
        return true;
    }

    void add_pairs(const nb::object& pairs) {
        for (nb::handle pair : pairs) add(pair[0], pair[1]);
    }

    std::size_t place_of(nb::handle name) {
        const nb::object held = nb::borrow(name);
        PyObject* place = PyDict_GetItemWithError(places_.ptr(), held.ptr());
        if (place) return PyLong_AsSize_t(place);
        if (PyErr_Occurred()) nb::raise_python_error();
        places_[held] = columns_.size();
        columns_.push_back({held, nb::list()});
        return columns_.size() - 1;
    }

    static void fill(PyObject* cells, Py_ssize_t rows) {
        while (PyList_GET_SIZE(cells) < rows)
            if (PyList_Append(cells, Py_None) < 0) nb::raise_python_error();
    }

    nb::handle cells_of_;
    nb::dict places_;
    std::vector<Column> columns_;
    std::size_t next_ = 0;
    Py_ssize_t rows_ = 0;
};

nb::tuple cells_of_rows(nb::handle rows, nb::handle cells_of) {
    if (!is_list(rows.ptr())) throw nb::type_error("rows must be a list or a tuple");
    Cells cells(cells_of);
    for (Py_ssize_t i = 0; i < size_of(rows.ptr()); ++i) {
        const nb::object row = nb::borrow(item_at(rows.ptr(), i));
        cells.begin_row();
        cells.add_item(nb::none(), row);
    }
    return nb::make_tuple(cells.named(), cells.rows());
}

nb::tuple cells_by_query(const nb::list& queries, const nb::list& values, nb::handle number, bool keeps_empty,
                         nb::handle rows_of, nb::handle cells_of) {
    const nb::object query_id = interned("query_id"), doc_id = interned("doc_id"), no_doc = interned("");
    const nb::object start = interned("start"), end = interned("end");
    Cells cells(cells_of);
    for (std::size_t i = 0; i < queries.size() && i < values.size(); ++i) {
        const nb::object query = queries[i];
        nb::object value = values[i];
        const auto begin_row = [&] {
            cells.begin_row();
            cells.add(query_id, query);
        };
        if (PyDict_CheckExact(value.ptr())) {
            PyObject *doc, *cell;
            Py_ssize_t at = 0;
            while (PyDict_Next(value.ptr(), &at, &doc, &cell)) {
                const nb::object held_doc = nb::borrow(doc), held_cell = nb::borrow(cell);
                begin_row();
                cells.add(doc_id, held_doc);
                cells.add(number, held_cell);
            }
            continue;
        }
        if (!is_list(value.ptr())) {
            value = rows_of(query, value);
            if (!is_list(value.ptr())) throw nb::type_error("the results of a query must be a list or a tuple");
        } else if (size_of(value.ptr()) == 0 && keeps_empty) {
            begin_row();
            cells.add(doc_id, no_doc);
        }
        for (Py_ssize_t j = 0; j < size_of(value.ptr()); ++j) {
            const nb::object item = nb::borrow(item_at(value.ptr(), j));
            begin_row();
            if (PyUnicode_CheckExact(item.ptr())) {
                cells.add(doc_id, item);
            } else if (is_list(item.ptr()) && size_of(item.ptr()) == 3) {
                const nb::object part[] = {nb::borrow(item_at(item.ptr(), 0)), nb::borrow(item_at(item.ptr(), 1)),
                                           nb::borrow(item_at(item.ptr(), 2))};
                cells.add(doc_id, part[0]);
                cells.add(start, part[1]);
                cells.add(end, part[2]);
            } else {
                cells.add_item(query, item);
            }
        }
    }
    return nb::make_tuple(cells.named(), cells.rows());
}

// ---- cells to codes and numbers -------------------------------------------------------------------------------

bool has_half_character(PyObject* text) {
    const Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    const int kind = static_cast<int>(PyUnicode_KIND(text));
    if (kind == PyUnicode_1BYTE_KIND) return false;
    for (Py_ssize_t i = 0; i < size; ++i) {
        const Py_UCS4 character = PyUnicode_READ(kind, PyUnicode_DATA(text), i);
        if (0xD800 <= character && character <= 0xDFFF) return true;
    }
    return false;
}

bool is_ready(PyObject* text) {
#if PY_VERSION_HEX < 0x030C0000
    return PyUnicode_IS_READY(text);
#else
    return text != nullptr;
#endif
}

bool are_equal(PyObject* a, PyObject* b) {
    const Py_ssize_t size = PyUnicode_GET_LENGTH(a);
    const auto kind = PyUnicode_KIND(a);
    return size == PyUnicode_GET_LENGTH(b) && kind == PyUnicode_KIND(b) &&
           std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b),
                       static_cast<std::size_t>(size) * static_cast<std::size_t>(kind)) == 0;
}

// Distinct strings, numbered in the order in which they first occur.
class Texts {
  public:
    // The code of a string; -1 if it is empty or has half a character.
    int64_t code(PyObject* text) {
        const auto hash = static_cast<std::size_t>(PyObject_Hash(text));
        if (2 * (texts_.size() + 1) > slots_.size()) grow();
        std::size_t at = hash & (slots_.size() - 1);
        for (; slots_[at].code >= 0; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at].hash != hash) continue;
            PyObject* other = texts_[static_cast<std::size_t>(slots_[at].code)].ptr();
            if (other == text || are_equal(other, text)) return slots_[at].code;
        }
        if (PyUnicode_GET_LENGTH(text) == 0 || has_half_character(text)) return -1;
        slots_[at] = {hash, static_cast<int64_t>(texts_.size())};
        texts_.push_back(nb::borrow(text));
        return slots_[at].code;
    }

    nb::list names() const {
        nb::list names;
        for (const nb::object& text : texts_) names.append(text);
        return names;
    }

  private:
    struct Slot {
        std::size_t hash;
        int64_t code;  // -1: free
    };

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 16 : 4 * slots_.size(), Slot{0, -1});
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.code < 0) continue;
            std::size_t at = slot.hash & (slots_.size() - 1);
            while (slots_[at].code >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<nb::object> texts_;
};

// (codes, names, irregular rows): strings and whole numbers are regular, but not an empty string, nor half a character.
nb::tuple coded_cells(const nb::list& cells) {
    const std::size_t size = cells.size();
    auto codes = unset<int64_t>(size);
    Ints irregular;
    Texts texts;
    PyObject* last = nullptr;
    for (std::size_t row = 0; row < size; ++row) {
        PyObject* cell = PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row));
        int64_t code = -1;
        if (cell == last) {
            code = codes[row - 1];
        } else if (PyUnicode_CheckExact(cell)) {
            if (is_ready(cell)) code = texts.code(cell);
        } else if (PyLong_CheckExact(cell)) {
            int overflow;
            (void)PyLong_AsLongLongAndOverflow(cell, &overflow);
            if (!overflow) {
                const nb::object digits = nb::steal(PyObject_Str(cell));
                if (!digits.is_valid()) nb::raise_python_error();
                code = texts.code(digits.ptr());
            }
        }
        if (code < 0) irregular.push_back(static_cast<int64_t>(row));
        codes[row] = code;
        last = cell;
    }
    return nb::make_tuple(array(codes.release(), size), texts.names(), array(std::move(irregular)));
}

// Appends a string in UTF-8, or the digits of a whole number; whether this is a token (see is_token).
bool add_token(PyObject* cell, std::string& text) {
    const std::size_t before = text.size();
    nb::object held;
    if (PyLong_CheckExact(cell)) {
        int overflow;
        (void)PyLong_AsLongLongAndOverflow(cell, &overflow);
        if (overflow) return false;
        held = nb::steal(PyObject_Str(cell));
        if (!held.is_valid()) nb::raise_python_error();
        cell = held.ptr();
    }
    if (!PyUnicode_CheckExact(cell) || !is_ready(cell)) return false;
    if (PyUnicode_IS_ASCII(cell)) {
        text.append(static_cast<const char*>(PyUnicode_DATA(cell)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(cell)));
    } else {
        if (has_half_character(cell)) return false;
        const nb::object bytes = nb::steal(PyUnicode_AsUTF8String(cell));
        if (!bytes.is_valid()) nb::raise_python_error();
        text.append(PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr())));
    }
    return is_token(std::string_view(text).substr(before));
}

// (the texts one after another, the key of each, their edges); None if a cell is not a token.
nb::object tokens_of_objects(const nb::list& cells) {
    const std::size_t size = cells.size();
    auto key = unset<uint64_t>(size);
    auto start = unset<int64_t>(size);
    std::string text;
    for (std::size_t row = 0; row < size; ++row) {
        start[row] = static_cast<int64_t>(text.size());
        if (!add_token(PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row)), text)) return nb::none();
    }
    const auto end = start[size] = static_cast<int64_t>(text.size());
    for (std::size_t row = 0; row < size; ++row)
        key[row] = token_key(text.data() + start[row], start[row + 1] - start[row], end - start[row] >= 8);
    return nb::make_tuple(nb::bytes(text.data(), text.size()), array(key.release(), size), array(start.release(), size + 1));
}

bool is_nothing(PyObject* cell) {
    return cell == Py_None || (PyUnicode_CheckExact(cell) && PyUnicode_GET_LENGTH(cell) == 0) ||
           (PyFloat_CheckExact(cell) && std::isnan(PyFloat_AS_DOUBLE(cell)));
}

// (numbers, irregular rows): whole numbers in this range, also as floats, are regular, and so is a missing cell.
nb::tuple whole_cells(const nb::list& cells, int64_t low, int64_t high, int64_t missing) {
    const std::size_t size = cells.size();
    auto values = unset<int64_t>(size);
    Ints irregular;
    for (std::size_t row = 0; row < size; ++row) {
        PyObject* cell = PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row));
        values[row] = missing;
        if (PyLong_CheckExact(cell)) {
            int overflow;
            const int64_t value = PyLong_AsLongLongAndOverflow(cell, &overflow);
            if (!overflow && low <= value && value <= high) {
                values[row] = value;
                continue;
            }
        } else if (is_nothing(cell)) {
            continue;
        } else if (PyFloat_CheckExact(cell)) {
            const double value = PyFloat_AS_DOUBLE(cell);
            if (static_cast<double>(low) <= value && value <= static_cast<double>(high) && value == std::floor(value)) {
                values[row] = static_cast<int64_t>(value);
                continue;
            }
        }
        irregular.push_back(static_cast<int64_t>(row));
    }
    return nb::make_tuple(array(values.release(), size), array(std::move(irregular)));
}

// (numbers, irregular rows): numbers are regular, and so is a missing cell, which is NaN.
nb::tuple real_cells(const nb::list& cells) {
    const std::size_t size = cells.size();
    auto values = unset<double>(size);
    Ints irregular;
    for (std::size_t row = 0; row < size; ++row) {
        PyObject* cell = PyList_GET_ITEM(cells.ptr(), static_cast<Py_ssize_t>(row));
        values[row] = std::nan("");
        if (PyFloat_CheckExact(cell)) {
            values[row] = PyFloat_AS_DOUBLE(cell);
        } else if (PyLong_CheckExact(cell)) {
            int overflow;
            const int64_t value = PyLong_AsLongLongAndOverflow(cell, &overflow);
            if (overflow)
                irregular.push_back(static_cast<int64_t>(row));
            else
                values[row] = static_cast<double>(value);
        } else if (!is_nothing(cell)) {
            irregular.push_back(static_cast<int64_t>(row));
        }
    }
    return nb::make_tuple(array(values.release(), size), array(std::move(irregular)));
}

}  // namespace

void bind_objects(nb::module_& module) {
    module.def("are_rows", &rows_or_not);
    module.def("lists_by_query", &lists_by_query);
    module.def("cells_of_rows", &cells_of_rows);
    module.def("cells_by_query", &cells_by_query);
    module.def("coded_cells", &coded_cells);
    module.def("_token_cells", &tokens_of_objects);
    module.def("whole_cells", &whole_cells);
    module.def("real_cells", &real_cells);
}

}  // namespace partwise
