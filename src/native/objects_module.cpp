// Binds the reader of Python objects: rows become columns of cells.
//
// Only objects whose type is exactly a built-in one are read here, because reading these runs no Python code. All others
// are passed to a function in Python, or their rows are returned as irregular. The interpreter lock is held throughout.
#include <array>
#include <vector>

#include "objects.hpp"

namespace partwise {
namespace {

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

}  // namespace

void bind_objects(nb::module_& module) {
    module.def("are_rows", &rows_or_not);
    module.def("lists_by_query", &lists_by_query);
    module.def("cells_of_rows", &cells_of_rows);
    module.def("cells_by_query", &cells_by_query);
}

}  // namespace partwise
