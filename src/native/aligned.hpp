// Numbers that begin a line of the cache, so that vectors of four or eight of them are in one line each.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace partwise {

// Zeros at first. Over-aligned types would do the same, but not on all systems.
class AlignedReals {
  public:
    explicit AlignedReals(std::size_t size) : numbers_(size + LINE / sizeof(double)) {
        void* begin = numbers_.data();
        std::size_t room = numbers_.size() * sizeof(double);
        first_ = static_cast<double*>(std::align(LINE, size * sizeof(double), begin, room));
    }
    AlignedReals(AlignedReals&&) = default;  // the numbers stay where they are

    double* data() { return first_; }
    const double* data() const { return first_; }

  private:
    static constexpr std::size_t LINE = 64;

    std::vector<double> numbers_;
    double* first_;
};

}  // namespace partwise
