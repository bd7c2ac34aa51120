#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "slidemesh/base/errors.h"

namespace slidemesh::fuzz {

inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Our own errors are how a reader refuses.
template <class Action>
void refuse_or_read(Action&& action) {
  try {
    action();
  } catch (const UsageError&) {
  } catch (const DataError&) {
  }
}

}  // namespace slidemesh::fuzz
