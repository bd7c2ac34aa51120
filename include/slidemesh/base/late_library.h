#pragma once

namespace slidemesh {

/// A shared library that is opened when it is first used. With the libraries behind it (Kerberos and LDAP behind libpq,
/// LAPACK and Fortran behind Clp) such a library takes longer to load than the rest of the program takes to start, and
/// most runs never use it.
struct LateLibrary {
  const char* file;      ///< its name for the loader: "libpq.so.5"
  const char* where;     ///< of the line that says that it is not there: "data.source"
  const char* expected;  ///< in that line: "PostgreSQL's library (Debian: libpq5)"
  /// Whether what it has is the whole process's: then it is not opened where the process has it already, linked by
  /// somebody else or preloaded, and others who load libraries later find it too.
  bool is_everyones = false;
};

/// The address of a function or object of the library, which is opened for it. UsageError if there is none.
[[nodiscard]] void* late_symbol(const LateLibrary& library, const char* name);

}  // namespace slidemesh

/// The library's function of that name, in place of the declared one; looked up once. A header that is included behind
/// the library's own may define each name as this: a macro's own name within it is not expanded again.
#define SLIDEMESH_LATE(library, name)                                                                               \
  ([] {                                                                                                             \
    static const auto found = reinterpret_cast<decltype(&name)>(slidemesh::late_symbol(library, #name)); /*NOLINT*/ \
    return found;                                                                                                   \
  }())
