#include "slidemesh/base/late_library.h"

#include <dlfcn.h>

#include <string>

#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

/// Opening it again only finds what is open.
void* open(const LateLibrary& library) {
  void* const opened = dlopen(library.file, RTLD_NOW | (library.is_everyones ? RTLD_GLOBAL : RTLD_LOCAL));
  if (opened == nullptr) {
    fail<UsageError>(library.where, library.expected, dlerror());
  }
  return opened;
}

}  // namespace

void* late_symbol(const LateLibrary& library, const char* name) {
  void* found = library.is_everyones ? dlsym(RTLD_DEFAULT, name) : nullptr;
  if (found == nullptr) {
    found = dlsym(open(library), name);
  }
  require<UsageError>(found != nullptr, library.file, std::string("a function or object ") + name,
                      "none: the library is too old");
  return found;
}

}  // namespace slidemesh
