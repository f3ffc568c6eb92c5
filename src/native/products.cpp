#include "products.hpp"

#include <algorithm>

namespace partwise {

void running_products(RealView values, IntView segment, double* products) {
    std::copy(values.data, values.data + values.size, products);
    for (int64_t low = 0, high; low < values.size; low = high) {
        for (high = low + 1; high < values.size && segment[high] == segment[low];) ++high;
        for (int64_t reach = 1; reach < high - low; reach *= 2)
            for (int64_t i = high - 1; i >= low + reach; --i) products[i] *= products[i - reach];
    }
}

}  // namespace partwise
