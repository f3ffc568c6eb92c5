// Columns of cells that are made from rows of Python objects.
//
// A column whose cells are all whole numbers, or all strings, becomes numbers or texts while the rows are read. Each object
// is loaded from memory once then: references to it would be counted, and the counts are in the same memory.
#pragma once

#include <algorithm>
#include <utility>

#include "objects.hpp"

namespace partwise {

// Objects are loaded this number of rows before they are read.
constexpr std::size_t ROWS_AHEAD = 16;

// Loads the rows in lists into the cache some steps before they are read: those of many queries are no longer there, and
// each object is known only once the one that refers to it is there (a list, its items, a dict, its keys and cells).
class PARTWISE_HIDDEN Ahead {
  public:
    explicit Ahead(const nb::list& lists) : lists_(lists.ptr()) {
        const Py_ssize_t end = PyList_GET_SIZE(lists_);
        for (std::size_t i = 0; i < 2 * ROWS_AHEAD && item_.list < end; ++i) load_item();
        for (std::size_t i = 0; i < ROWS_AHEAD && content_.list < end; ++i) load_content();
    }

    // To be called for each row.
    void step() {
        load_item();
        load_content();
    }

  private:
    struct Place {
        Py_ssize_t list = 0, item = 0;
    };

    // The next row: an item of a list, or a dict of numbers; null at the end.
    PyObject* next(Place& place) const {
        for (; place.list < PyList_GET_SIZE(lists_); ++place.list, place.item = 0) {
            PyObject* list = PyList_GET_ITEM(lists_, place.list);
            if (is_list(list)) {
                if (place.item < size_of(list)) return item_at(list, place.item++);
            } else if (place.item++ == 0) {
                return list;
            }
        }
        return nullptr;
    }

    void load_item() {
        if constexpr (!CAN_PREFETCH) return;
        const Py_ssize_t list = item_.list;
        if (PyObject* item = next(item_)) prefetch(item);
        if (item_.list == list) return;
        // not in a function of its own: the compiler would see that it changes nothing, and leave out the calls
        const Py_ssize_t size = PyList_GET_SIZE(lists_);
        if (item_.list + 8 < size) prefetch(PyList_GET_ITEM(lists_, item_.list + 8));
        if (item_.list + 4 >= size) return;
        PyObject* later = PyList_GET_ITEM(lists_, item_.list + 4);
        if (!PyList_CheckExact(later)) return;
        const auto* items = reinterpret_cast<const char*>(reinterpret_cast<PyListObject*>(later)->ob_item);
        const auto bytes = std::min<Py_ssize_t>(static_cast<Py_ssize_t>(sizeof(PyObject*)) * PyList_GET_SIZE(later), 256);
        for (Py_ssize_t at = 0; at < bytes; at += 64) prefetch(items + at);
    }

    void load_content() {
        if constexpr (!CAN_PREFETCH) return;
        PyObject* item = next(content_);
        if (!item) return;
#if !defined(PYPY_VERSION)
        if (PyDict_CheckExact(item)) {  // the entries follow the indices of a small table
            const auto* keys = reinterpret_cast<const char*>(reinterpret_cast<PyDictObject*>(item)->ma_keys);
            prefetch(keys);
            prefetch(keys + 64);
            prefetch(keys + 128);
        }
#endif
    }

    PyObject* lists_;
    Place item_, content_;
};

// The cells of a column: of a kind as long as all can be, otherwise objects.
class PARTWISE_HIDDEN CellColumn {
  public:
    // Letters for Python: natural numbers, texts (see Tokens), and texts that are the same in many rows one after another.
    enum Kind : char { OBJECTS = '-', NUMBERS = 'n', TEXTS = 't', CODES = 'c' };

    static Kind kind_of(std::string_view letter) {
        for (const Kind kind : {NUMBERS, TEXTS, CODES})
            if (letter.size() == 1 && letter[0] == kind) return kind;
        throw nb::value_error("unknown kind of a column");
    }

    CellColumn(nb::object name, Kind kind) : name_(std::move(name)), kind_(kind) {}

    const nb::object& name() const { return name_; }

    // The cell of this row, from 0; a later one of the same row takes precedence. No Python code runs.
    void add(std::size_t row, PyObject* cell) {
        if (kind_ == NUMBERS) {
            if (numbers_.size() == row && add_number(cell)) return;
        } else if (kind_ == TEXTS) {
            if (texts_.size() == row && texts_.add(cell)) return;
        } else if (kind_ == CODES) {
            if (numbers_.size() == row && add_code(cell)) return;
        }
        become_objects();
        fill(row);
        if (static_cast<std::size_t>(PyList_GET_SIZE(cells_.ptr())) == row)
            append(cell);
        else if (PyList_SetItem(cells_.ptr(), static_cast<Py_ssize_t>(row), Py_NewRef(cell)) < 0)
            nb::raise_python_error();
    }

    // Loads what is read to look up the code of a cell.
    void load_code(PyObject* cell) const {
        if (kind_ == CODES && PyUnicode_CheckExact(cell)) names_.load(cell);
    }

    // (kind, ...): an array of numbers, the columns of Tokens, or codes and their names; or a list of objects, in which
    // cells that rows do not have are None.
    nb::object cells(std::size_t rows) {
        if (kind_ == NUMBERS && numbers_.size() == rows) return of_kind(NUMBERS, array(std::move(numbers_)));
        if (kind_ == TEXTS && texts_.size() == rows) return of_kind(TEXTS, texts_.columns());
        if (kind_ == CODES && numbers_.size() == rows)
            return of_kind(CODES, nb::make_tuple(array(std::move(numbers_)), names_.take_names()));
        become_objects();
        fill(rows);
        return cells_;
    }

  private:
    static nb::object of_kind(Kind kind, const nb::object& cells) {
        const char letter = kind;
        return nb::make_tuple(nb::str(&letter, 1), cells);
    }

    bool add_number(PyObject* cell) {
        if (!PyLong_CheckExact(cell)) return false;
        int overflow;
        const int64_t number = PyLong_AsLongLongAndOverflow(cell, &overflow);
        if (overflow || number < 0) return false;
        numbers_.push_back(number);
        return true;
    }

    // A cell that is the same as in the row before is not looked up.
    bool add_code(PyObject* cell) {
        if (numbers_.empty() || names_.at(numbers_.back()) != cell) {
            const int64_t code = PyUnicode_CheckExact(cell) ? names_.code_of_cell(cell) : -1;
            if (code < 0) return false;
            numbers_.push_back(code);
        } else {
            numbers_.push_back(numbers_.back());
        }
        return true;
    }

    void append(PyObject* cell) {
        if (PyList_Append(cells_.ptr(), cell) < 0) nb::raise_python_error();
    }

    void fill(std::size_t rows) {
        while (static_cast<std::size_t>(PyList_GET_SIZE(cells_.ptr())) < rows) append(Py_None);
    }

    void become_objects() {
        switch (std::exchange(kind_, OBJECTS)) {
            case OBJECTS: break;
            case NUMBERS:
                for (const int64_t number : std::exchange(numbers_, {})) {
                    const nb::object cell = nb::steal(PyLong_FromLongLong(number));
                    if (!cell.is_valid()) nb::raise_python_error();
                    append(cell.ptr());
                }
                break;
            case TEXTS:
                for (std::size_t row = 0; row < texts_.size(); ++row) append(texts_.string(row).ptr());
                texts_ = {};
                break;
            case CODES:
                for (const int64_t code : std::exchange(numbers_, {})) append(names_.at(code));
                names_ = {};
                break;
        }
    }

    nb::object name_;
    Kind kind_;
    nb::list cells_;  // made at once, because making a list may collect garbage, and that may run Python code
    std::vector<int64_t> numbers_;  // also codes
    Tokens texts_;
    Texts names_;  // of codes
};

}  // namespace partwise
