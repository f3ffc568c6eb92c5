// Helpers of the two binding files: Python arrays become views, results become NumPy arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "spans.hpp"

namespace partwise {

namespace nb = nanobind;

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using BoolArray = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntArray = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using KeyArray = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumberArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // of any type
using RealArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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

// nanobind makes arrays of NumPy's `longlong`, which NumPy converts before it combines them with its own `int64`.
template <class T>
nb::object as_own_type(nb::object made) {
    if constexpr (std::is_same_v<T, int64_t>) return made.attr("view")("int64");
    return made;
}

template <class T>
nb::object array(T* data, std::size_t size) {
    nb::capsule owner(data, [](void* held) noexcept { delete[] static_cast<T*>(held); });
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
    auto held = std::make_unique<std::vector<T>>(std::move(values));
    T* data = held->data();
    const std::size_t size = held->size();
    nb::capsule owner(held.release(), [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    return as_own_type<T>(nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner)));
}

// Adds the readers and the operations on the tokens they return (readers_module.cpp).
void bind_readers(nb::module_& module);

}  // namespace partwise
