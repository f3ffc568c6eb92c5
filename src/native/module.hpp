// Helpers of the binding files: Python arrays become views, results become NumPy arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "spans.hpp"

namespace nb = nanobind;

// For types with members of nanobind's types, which have hidden visibility.
#if defined(__GNUC__) && !defined(_WIN32)
#define PARTWISE_HIDDEN __attribute__((visibility("hidden")))
#else
#define PARTWISE_HIDDEN
#endif

namespace partwise {

// A column of numbers of one type that is read: an array, bytes, or another object with such a buffer. nanobind's own type
// for arrays takes several times as long to make, which is most of the time of a kernel that reads a few numbers; it is used
// where the numbers must be converted or copied first.
template <class T>
class PARTWISE_HIDDEN Numbers {
  public:
    using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

    Numbers() = default;
    Numbers(Numbers&& other) noexcept { swap(other); }
    Numbers& operator=(Numbers&& other) noexcept {
        swap(other);
        return *this;
    }
    Numbers(const Numbers&) = delete;
    Numbers& operator=(const Numbers&) = delete;
    ~Numbers() {
        if (buffer_.obj) PyBuffer_Release(&buffer_);
    }

    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

    // Whether the object has a buffer of these numbers; no Python error is set.
    bool read(nb::handle value) {
        if (!PyObject_CheckBuffer(value.ptr())) return false;
        if (PyObject_GetBuffer(value.ptr(), &buffer_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
            PyErr_Clear();
            buffer_.obj = nullptr;
            return false;
        }
        if (buffer_.ndim != 1 || buffer_.itemsize != sizeof(T) || !is_format(buffer_.format)) {
            PyBuffer_Release(&buffer_);  // sets obj to null
            return false;
        }
        data_ = static_cast<const T*>(buffer_.buf);
        size_ = static_cast<std::size_t>(buffer_.len) / sizeof(T);
        return true;
    }

    void hold(Array array) {
        array_ = std::move(array);
        data_ = array_.data();
        size_ = array_.size();
    }

  private:
    // A letter of the struct module, of this machine's byte order and sizes.
    static bool is_format(const char* format) {
        if (!format) return std::is_same_v<T, uint8_t>;
        if (format[0] == '\0' || format[1] != '\0') return false;
        const char letter = format[0];
        if constexpr (std::is_same_v<T, bool>) return letter == '?';
        if constexpr (std::is_same_v<T, double>) return letter == 'd';
        if constexpr (std::is_same_v<T, int64_t>) return letter == 'l' || letter == 'q';
        if constexpr (std::is_same_v<T, uint64_t>) return letter == 'L' || letter == 'Q';
        if constexpr (std::is_same_v<T, uint8_t>) return letter == 'B';
        return false;
    }

    void swap(Numbers& other) noexcept {
        std::swap(buffer_, other.buffer_);
        std::swap(array_, other.array_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    Py_buffer buffer_{};
    Array array_;
    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

using Bytes = Numbers<uint8_t>;
using BoolArray = Numbers<bool>;
using IntArray = Numbers<int64_t>;
using KeyArray = Numbers<uint64_t>;
using RealArray = Numbers<double>;
using NumberArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // of any type

// Releases the GIL if there is enough to do: for small inputs, acquiring it again may take longer than the work itself.
// Internal to each file, because the type of its member has hidden visibility.
namespace {
class Unlocked {
  public:
    explicit Unlocked(std::size_t items) {
        if (items >= 2000) unlocked_.emplace();
    }

  private:
    std::optional<nb::gil_scoped_release> unlocked_;
};
}  // namespace

inline std::string_view text_of(const Bytes& data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

inline IntView view(const IntArray& column) { return {column.data(), static_cast<int64_t>(column.size())}; }
inline RealView view(const RealArray& column) { return {column.data(), static_cast<int64_t>(column.size())}; }

}  // namespace partwise

namespace nanobind::detail {

template <class T>
struct type_caster<partwise::Numbers<T>> {
    NB_TYPE_CASTER(partwise::Numbers<T>, const_name("array"))

    bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
        if (value.read(source)) return true;
        make_caster<typename partwise::Numbers<T>::Array> other;
        if (!other.from_python(source, flags, cleanup)) return false;
        value.hold(std::move(other.value));
        return true;
    }
};

}  // namespace nanobind::detail

namespace partwise {

// An attribute of whole numbers.
inline IntArray ints(const nb::object& object, const char* name) { return nb::cast<IntArray>(object.attr(name)); }

// nanobind makes arrays of NumPy's `longlong`, which NumPy converts before it combines them with its own `int64`.
template <class T>
nb::object as_own_type(nb::object made) {
    if constexpr (std::is_same_v<T, int64_t>) return made.attr("view")("int64");
    return made;
}

template <class T>
constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, int64_t>) return "int64";
    if constexpr (std::is_same_v<T, int32_t>) return "int32";
    if constexpr (std::is_same_v<T, uint64_t>) return "uint64";
    if constexpr (std::is_same_v<T, double>) return "float64";
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_same_v<T, uint8_t>) return "uint8";
    return nullptr;
}

// Memory for the values of a kernel that sets all of them, not filled with zeros first; at least one.
template <class T>
std::unique_ptr<T[]> unset(std::size_t size) {
    return std::unique_ptr<T[]>(new T[size + 1]);
}

// A few values as an array of NumPy's own memory: that takes a tenth of the time of an array of ours.
constexpr std::size_t FEW = 512;
template <class T>
nb::object array_of_few(const T* data, std::size_t size) {
    static_assert(type_name<T>() != nullptr);
    // never freed: they may be needed until the interpreter exits
    static PyObject* const empty = nb::object(nb::module_::import_("numpy").attr("empty")).release().ptr();
    static PyObject* const type = nb::module_::import_("numpy").attr("dtype")(type_name<T>()).release().ptr();
    const nb::object count = nb::steal(PyLong_FromSize_t(size));
    PyObject* const arguments[] = {count.ptr(), type};
    nb::object made = nb::steal(PyObject_Vectorcall(empty, arguments, 2, nullptr));
    Py_buffer memory;
    if (!made.is_valid() || PyObject_GetBuffer(made.ptr(), &memory, PyBUF_WRITABLE) < 0) nb::raise_python_error();
    if (size) std::memcpy(memory.buf, data, size * sizeof(T));
    PyBuffer_Release(&memory);
    return made;
}

template <class T>
nb::object array(T* data, std::size_t size) {
    if (size <= FEW) {
        const std::unique_ptr<T[]> held(data);
        return array_of_few(data, size);
    }
    nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
    return as_own_type<T>(nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner)));
}

inline nb::object table(std::unique_ptr<double[]> values, std::size_t rows, std::size_t columns) {
    double* data = values.release();
    nb::capsule owner(data, [](void* held) noexcept { delete[] static_cast<double*>(held); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(data, {rows, columns}, owner));
}

template <class T>
nb::object array(Buffer<T>& buffer) {
    const auto size = static_cast<std::size_t>(buffer.size());
    T* data = buffer.release();
    return array(data ? data : new T[1], size);
}

template <class T>
nb::object array(std::vector<T>&& values) {
    if (values.size() <= FEW) return array_of_few(values.data(), values.size());
    auto held = std::make_unique<std::vector<T>>(std::move(values));
    T* data = held->data();
    const std::size_t size = held->size();
    nb::capsule owner(held.release(), [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    return as_own_type<T>(nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner)));
}

// The bytes of a text, without copying them.
inline nb::object array(std::string&& text) {
    auto held = std::make_unique<std::string>(std::move(text));
    auto* data = reinterpret_cast<uint8_t*>(held->data());
    const std::size_t size = held->size();
    nb::capsule owner(held.release(), [](void* string) noexcept { delete static_cast<std::string*>(string); });
    return nb::cast(nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>(data, {size}, owner));
}

// Adds the readers and the operations on the tokens they return (readers_module.cpp).
void bind_readers(nb::module_& module);

// Adds the readers of named columns and their cells (cells_module.cpp).
void bind_cells(nb::module_& module);

// Adds what reads and stores documents (documents_module.cpp).
void bind_documents(nb::module_& module);

// Adds the reader of Python objects (objects_module.cpp).
void bind_objects(nb::module_& module);

// Adds what makes codes and numbers of cells that are Python objects (object_cells_module.cpp).
void bind_object_cells(nb::module_& module);

// Adds what scores are made of: sums, ratios, and the rows of each query (scores_module.cpp).
void bind_scores(nb::module_& module);

// Adds the randomisation tests (resampling_module.cpp).
void bind_resampling(nb::module_& module);

}  // namespace partwise
