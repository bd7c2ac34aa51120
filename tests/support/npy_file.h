#pragma once

// Files of NumPy's arrays.

#include <string>
#include <vector>

namespace slidemesh::testing {

/// As numpy.save writes it: the header ends where 64 divides.
template <class Number>
[[nodiscard]] std::string npy(const std::string& type, const std::string& shape, const std::vector<Number>& numbers,
                              const std::string& order = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::string file = "\x93NUMPY";
  file += {'\x01', '\x00', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  file += header;
  file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
  return file;
}

}  // namespace slidemesh::testing
