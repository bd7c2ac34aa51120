#pragma once

#include <string>

#include "slidemesh/base/errors.h"
#include "slidemesh/core/method.h"

namespace slidemesh {

/// Runs `part`; an error of data or of our own says at which step it happened.
template <class Part>
void at_step(const Method& method, Part&& part) {
  const auto where = [&] { return "step " + std::to_string(method.steps_done()) + ": "; };
  try {
    part();
  } catch (const DataError& error) {
    throw DataError(where() + error.what());
  } catch (const InternalError& error) {
    throw InternalError(where() + error.what());
  }
}

}  // namespace slidemesh
