// Numbers that begin a line of the cache, so that vectors of four or eight of them are in one line each.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace partwise {

// Zeros at first. Over-aligned types would do the same, but not on all systems.
template <class Number>
class AlignedNumbers {
  public:
    explicit AlignedNumbers(std::size_t size) : numbers_(size + LINE / sizeof(Number)) {
        void* begin = numbers_.data();
        std::size_t room = numbers_.size() * sizeof(Number);
        first_ = static_cast<Number*>(std::align(LINE, size * sizeof(Number), begin, room));
    }
    AlignedNumbers(AlignedNumbers&&) = default;  // the numbers stay where they are
    AlignedNumbers& operator=(AlignedNumbers&&) = default;

    Number* data() { return first_; }
    const Number* data() const { return first_; }

  private:
    static constexpr std::size_t LINE = 64;

    std::vector<Number> numbers_;
    Number* first_;
};

using AlignedReals = AlignedNumbers<double>;

}  // namespace partwise
