#ifndef SLIDEMESH_POSTGRES

#include "slidemesh/base/fail.h"
#include "slidemesh/data/store/postgres.h"

namespace slidemesh {
namespace {
[[noreturn]] void fail() {
  slidemesh::fail<UsageError>(
      "data.source", "a build with PostgreSQL for \"postgres\"",
      "one without; install libpq-dev (Debian), configure with -DSLIDEMESH_POSTGRES=ON and build again");
}
}  // namespace

bool has_postgres() { return false; }
bool has_table_per_node(const DatabaseOptions& /*options*/) { fail(); }
std::shared_ptr<RowStore> open_postgres(const DatabaseOptions& /*options*/, Index /*node*/) { fail(); }
std::string without_credentials(const std::string& dsn) { return dsn.empty() ? "" : "(not shown)"; }
Index load_postgres(RowReader& /*reader*/, const TableLoadOptions& /*options*/) { fail(); }

}  // namespace slidemesh

#endif  // SLIDEMESH_POSTGRES
