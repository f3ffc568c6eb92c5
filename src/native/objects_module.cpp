// Binds the reader of Python objects: rows become columns of cells.
//
// Only objects whose type is exactly a built-in one are read here, because reading these runs no Python code. All others
// are passed to a function in Python, or their rows are returned as irregular. The interpreter lock is held throughout.
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "object_columns.hpp"

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
int are_rows(PyObject* list, QueryNames& names, Ahead& ahead) {
    const Py_ssize_t size = size_of(list);
    bool is_known = true;
    int has = 0;
    for (Py_ssize_t i = 0; i < size; ++i) {
        ahead.step();
        PyObject* item = item_at(list, i);
        if (PyDict_CheckExact(item)) {
            if (!has) has = names.in(item);
            continue;
        }
        // neither a mapping nor a named tuple
        if (is_list(item) || PyUnicode_CheckExact(item) || item == Py_None || PyLong_CheckExact(item)) return 0;
        is_known = false;
    }
    return is_known ? has : -1;
}

nb::list list_of(nb::handle item) {
    nb::list list;
    list.append(item);
    return list;
}

nb::object rows_or_not(nb::handle value, nb::handle names) {
    if (!is_list(value.ptr())) return nb::none();
    QueryNames of_query(names);
    const nb::list lists = list_of(value);
    Ahead ahead(lists);
    const int answer = are_rows(value.ptr(), of_query, ahead);
    return answer < 0 ? nb::none() : nb::object(nb::bool_(answer == 1));
}

// The keys or the values of a mapping.
nb::list in_list(PyObject* made) {
    if (!made) nb::raise_python_error();
    return nb::steal<nb::list>(made);
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
nb::tuple lists_by_query(nb::handle mapping, nb::handle names) {
    const nb::list values = in_list(PyMapping_Values(mapping.ptr()));
    QueryNames of_query(names);
    Ahead ahead(values);
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
            const int rows = are_rows(value, of_query, ahead);
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
    // `kinds` has the letter of some columns; the others have objects.
    Cells(nb::handle cells_of, nb::dict kinds) : cells_of_(cells_of), kinds_(std::move(kinds)) {}

    std::size_t rows() const { return rows_; }

    void begin_row() {
        ++rows_;
        next_ = 0;
    }

    // No Python code runs if the name is a string.
    void add(nb::handle name, nb::handle cell) {
        if (next_ >= columns_.size() || columns_[next_].name().ptr() != name.ptr()) next_ = place_of(name);
        columns_[next_].add(rows_ - 1, cell.ptr());
        ++next_;
    }

    // The cells of a mapping; `query` is passed on to the function in Python.
    void add_item(nb::handle query, nb::handle item) {
        if (!PyDict_CheckExact(item.ptr()) || !add_dict(item.ptr())) add_pairs(cells_of_(query, item));
    }

    // The cells of each column (see CellColumn::cells).
    nb::dict named() {
        nb::dict columns;
        for (CellColumn& column : columns_) columns[column.name()] = column.cells(rows_);
        return columns;
    }

    // The place of a column, which is added if there is none of this name.
    std::size_t place_of(nb::handle name) {
        const nb::object held = nb::borrow(name);
        PyObject* place = PyDict_GetItemWithError(places_.ptr(), held.ptr());
        if (place) return PyLong_AsSize_t(place);
        if (PyErr_Occurred()) nb::raise_python_error();
        places_[held] = columns_.size();
        columns_.emplace_back(held, kind_of(held));
        has_only_strings_ = has_only_strings_ && PyUnicode_CheckExact(held.ptr());
        return columns_.size() - 1;
    }

    // The place of a column, probably this one; -1 if there is none of this name, or if Python code may have to run.
    std::size_t known_place(PyObject* name, std::size_t guess) const {
        if (guess < columns_.size() && columns_[guess].name().ptr() == name) return guess;
        if (!has_only_strings_ || !PyUnicode_CheckExact(name)) return NO_PLACE;
        PyObject* place = PyDict_GetItemWithError(places_.ptr(), name);
        if (!place && PyErr_Occurred()) nb::raise_python_error();
        return place ? PyLong_AsSize_t(place) : NO_PLACE;
    }

    void add_at(std::size_t place, PyObject* cell) { columns_[place].add(rows_ - 1, cell); }

    void load_code(std::size_t place, PyObject* cell) const { columns_[place].load_code(cell); }

    static constexpr std::size_t NO_PLACE = std::numeric_limits<std::size_t>::max();

  private:
    CellColumn::Kind kind_of(nb::handle name) const {
        PyObject* kind = PyUnicode_CheckExact(name.ptr()) ? PyDict_GetItemWithError(kinds_.ptr(), name.ptr()) : nullptr;
        if (!kind && PyErr_Occurred()) nb::raise_python_error();
        return kind ? CellColumn::kind_of(nb::cast<nb::str>(nb::handle(kind)).c_str()) : CellColumn::OBJECTS;
    }

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

    nb::handle cells_of_;
    nb::dict kinds_;
    nb::dict places_;
    std::vector<CellColumn> columns_;
    bool has_only_strings_ = true;  // as names
    std::size_t next_ = 0;
    std::size_t rows_ = 0;
};

nb::tuple cells_of_rows(nb::handle rows, nb::handle cells_of) {
    if (!is_list(rows.ptr())) throw nb::type_error("rows must be a list or a tuple");
    Cells cells(cells_of, {});
    const nb::list lists = list_of(rows);
    Ahead ahead(lists);
    for (Py_ssize_t i = 0; i < size_of(rows.ptr()); ++i) {
        ahead.step();
        const nb::object row = nb::borrow(item_at(rows.ptr(), i));
        cells.begin_row();
        cells.add_item(nb::none(), row);
    }
    return nb::make_tuple(cells.named(), cells.rows());
}

// The parts of queries as rows. Those of built-in types whose columns are known are noted first, and added when their cells
// were loaded; no Python code runs in between. All others are added at once.
class PartsByQuery {
  public:
    PartsByQuery(nb::handle number, nb::handle cells_of, const nb::dict& kinds)
        : cells_(cells_of, kinds), number_(number) {
        cells_.place_of(query_id_);
        noted_.reserve(4 * ROWS_AHEAD);
        noted_rows_.reserve(ROWS_AHEAD);
    }

    // Loads the ids of queries after this one into the cache, and then where their codes are looked up.
    void load_query(const nb::list& queries, Py_ssize_t i) const {
        const Py_ssize_t left = PyList_GET_SIZE(queries.ptr()) - i;
        if (left > 16) prefetch_text(PyList_GET_ITEM(queries.ptr(), i + 16));
        if (left > 8) cells_.load_code(QUERY, PyList_GET_ITEM(queries.ptr(), i + 8));
    }

    void add_numbers(PyObject* query, PyObject* dict) {
        if (PyDict_GET_SIZE(dict) == 0) return;
        add_noted();
        const std::size_t doc = cells_.place_of(doc_id_), number = cells_.place_of(number_);
        PyObject *key, *cell;
        Py_ssize_t at = 0;
        while (PyDict_Next(dict, &at, &key, &cell)) {
            note(doc, key);
            note(number, cell);
            end_noted(query);
        }
    }

    void add_part(const nb::object& query, PyObject* item) {
        if (note_part(item)) {
            end_noted(query.ptr());
            return;
        }
        add_noted();
        const nb::object held = nb::borrow(item);
        begin_row(query.ptr());
        if (PyUnicode_CheckExact(item)) {
            cells_.add(doc_id_, held);
        } else if (is_list(item) && size_of(item) == 3) {
            const nb::object part[] = {nb::borrow(item_at(item, 0)), nb::borrow(item_at(item, 1)),
                                       nb::borrow(item_at(item, 2))};
            cells_.add(doc_id_, part[0]);
            cells_.add(start_, part[1]);
            cells_.add(end_, part[2]);
        } else {
            cells_.add_item(query, held);
        }
    }

    // To be called before Python code runs, and before an object is released whose parts were added.
    void add_noted() {
        std::size_t at = 0;
        for (const auto& [query, end] : noted_rows_) {
            begin_row(query);
            for (; at < end; ++at) cells_.add_at(noted_[at].first, noted_[at].second);
        }
        noted_.clear();
        noted_rows_.clear();
    }

    nb::tuple columns() {
        add_noted();
        return nb::make_tuple(cells_.rows() ? cells_.named() : nb::dict(), cells_.rows());
    }

  private:
    void begin_row(PyObject* query) {
        cells_.begin_row();
        cells_.add(query_id_, query);
    }

    void note(std::size_t place, PyObject* cell) {
        prefetch(cell);
        noted_.emplace_back(place, cell);
    }

    void end_noted(PyObject* query) {
        noted_rows_.emplace_back(query, noted_.size());
        if (noted_rows_.size() >= ROWS_AHEAD) add_noted();
    }

    bool note_part(PyObject* item) {
        const std::size_t before = noted_.size();
        std::size_t place = QUERY;
        const auto add = [&](PyObject* name, PyObject* cell) {
            place = cells_.known_place(name, place + 1);
            if (place == Cells::NO_PLACE || place == QUERY) return false;
            note(place, cell);
            return true;
        };
        bool is_known = true;
        if (PyDict_CheckExact(item)) {
            PyObject *name, *cell;
            Py_ssize_t at = 0;
            while (is_known && PyDict_Next(item, &at, &name, &cell)) is_known = add(name, cell);
        } else if (PyUnicode_CheckExact(item)) {
            is_known = add(doc_id_.ptr(), item);
        } else if (is_list(item) && size_of(item) == 3) {
            is_known = add(doc_id_.ptr(), item_at(item, 0)) && add(start_.ptr(), item_at(item, 1)) &&
                       add(end_.ptr(), item_at(item, 2));
        } else {
            return false;
        }
        if (!is_known) noted_.resize(before);
        return is_known;
    }

    static constexpr std::size_t QUERY = 0;  // the place of its column
    const nb::object query_id_ = interned("query_id"), doc_id_ = interned("doc_id");
    const nb::object start_ = interned("start"), end_ = interned("end");
    Cells cells_;
    nb::handle number_;
    std::vector<std::pair<std::size_t, PyObject*>> noted_;  // the place of each cell
    std::vector<std::pair<PyObject*, std::size_t>> noted_rows_;  // the query of each row, and the end of its cells
};

nb::tuple cells_by_query(nb::handle mapping, nb::handle number, bool keeps_empty, nb::handle rows_of,
                         nb::handle cells_of, const nb::dict& kinds) {
    const nb::list queries = in_list(PyMapping_Keys(mapping.ptr()));
    const nb::list values = in_list(PyMapping_Values(mapping.ptr()));
    const nb::object no_doc = interned("");
    PartsByQuery parts(number, cells_of, kinds);
    Ahead ahead(values);
    for (std::size_t i = 0; i < queries.size() && i < values.size(); ++i) {
        parts.load_query(queries, static_cast<Py_ssize_t>(i));
        const nb::object query = queries[i];
        nb::object value = values[i];
        if (PyDict_CheckExact(value.ptr())) {
            ahead.step();
            parts.add_numbers(query.ptr(), value.ptr());
            continue;
        }
        const bool is_given = is_list(value.ptr());
        if (!is_given) {
            parts.add_noted();
            ahead.step();
            value = rows_of(query, value);
            if (!is_list(value.ptr())) throw nb::type_error("the results of a query must be a list or a tuple");
        } else if (size_of(value.ptr()) == 0 && keeps_empty) {
            parts.add_part(query, no_doc.ptr());
        }
        for (Py_ssize_t j = 0; j < size_of(value.ptr()); ++j) {
            if (is_given) ahead.step();
            parts.add_part(query, item_at(value.ptr(), j));
        }
        if (!is_given) parts.add_noted();
    }
    return parts.columns();
}

}  // namespace

void bind_objects(nb::module_& module) {
    module.def("are_rows", &rows_or_not);
    module.def("lists_by_query", &lists_by_query);
    module.def("cells_of_rows", &cells_of_rows);
    module.def("cells_by_query", &cells_by_query);
}

}  // namespace partwise
