// Numbers as JSON.
#pragma once

#include <string>

#include "spans.hpp"

namespace partwise {

// A list for each i, with values[offsets[i]:offsets[i+1]], which must be inside. Numbers have so many significant digits (1 to
// 17), as printf's %g writes them; those that are not finite are null.
std::string json_lists(RealView values, IntView offsets, int digits);

}  // namespace partwise
