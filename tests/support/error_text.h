#pragma once

#include <exception>
#include <string>
#include <typeinfo>

#include "slidemesh/base/errors.h"

namespace slidemesh::testing {

/// What an action throws: the message of an error of the given type, else a text that says what
/// happened instead and so fails every comparison.
template <class ErrorType, class Action>
std::string error_text(Action&& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  } catch (const std::exception& other) {
    return std::string("another exception: ") + other.what();
  }
  return "no exception";
}

}  // namespace slidemesh::testing
