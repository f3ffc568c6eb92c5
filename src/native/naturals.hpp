// Natural numbers of any size, for exact comparisons where 64 bits are not enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace partwise {

class Natural {
  public:
    explicit Natural(uint64_t value = 0);
    static Natural of_bytes(const char* bytes, std::size_t size);  // the lowest byte first

    uint64_t low() const;  // the number itself if it is below 2^64

    friend Natural operator*(const Natural& a, const Natural& b);
    friend Natural operator-(const Natural& a, const Natural& b);  // requires b <= a
    friend bool operator<(const Natural& a, const Natural& b);

  private:
    void trim();

    std::vector<uint32_t> digits_;  // to the base 2^32, the lowest first; the highest is not 0
};

}  // namespace partwise
