// libpq, opened when a server is first asked for. Each function below has the name and type that libpq-fe.h declares,
// and hands its arguments on.

#ifdef SLIDEMESH_POSTGRES

#include <libpq-fe.h>

#include "slidemesh/base/late_library.h"

namespace slidemesh {
namespace {

constexpr LateLibrary kLibpq{"libpq.so.5", "data.source", "PostgreSQL's library libpq.so.5 (Debian: libpq5)"};

}  // namespace
}  // namespace slidemesh

#define SLIDEMESH_LATE(result, name, parameters, arguments)                                       \
  __attribute__((visibility("hidden"))) result name parameters {                                  \
    static const auto real = slidemesh::late_function<decltype(&name)>(slidemesh::kLibpq, #name); \
    return real arguments;                                                                        \
  }

SLIDEMESH_LATE(PGconn*, PQconnectdbParams, (const char* const* keywords, const char* const* values, int expand),
               (keywords, values, expand))
SLIDEMESH_LATE(void, PQfinish, (PGconn * conn), (conn))
SLIDEMESH_LATE(ConnStatusType, PQstatus, (const PGconn* conn), (conn))
SLIDEMESH_LATE(char*, PQerrorMessage, (const PGconn* conn), (conn))
SLIDEMESH_LATE(int, PQserverVersion, (const PGconn* conn), (conn))
SLIDEMESH_LATE(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn * conn, PQnoticeProcessor proc, void* arg),
               (conn, proc, arg))
SLIDEMESH_LATE(PQconninfoOption*, PQconninfoParse, (const char* conninfo, char** message), (conninfo, message))
SLIDEMESH_LATE(void, PQconninfoFree, (PQconninfoOption * options), (options))
SLIDEMESH_LATE(PGresult*, PQprepare, (PGconn * conn, const char* name, const char* query, int params, const Oid* types),
               (conn, name, query, params, types))
SLIDEMESH_LATE(PGresult*, PQexecParams,
               (PGconn * conn, const char* command, int params, const Oid* types, const char* const* values,
                const int* lengths, const int* formats, int result_format),
               (conn, command, params, types, values, lengths, formats, result_format))
SLIDEMESH_LATE(int, PQsendQueryPrepared,
               (PGconn * conn, const char* name, int params, const char* const* values, const int* lengths,
                const int* formats, int result_format),
               (conn, name, params, values, lengths, formats, result_format))
SLIDEMESH_LATE(PGresult*, PQgetResult, (PGconn * conn), (conn))
SLIDEMESH_LATE(ExecStatusType, PQresultStatus, (const PGresult* res), (res))
SLIDEMESH_LATE(char*, PQresultErrorField, (const PGresult* res, int field), (res, field))
SLIDEMESH_LATE(void, PQclear, (PGresult * res), (res))
SLIDEMESH_LATE(int, PQntuples, (const PGresult* res), (res))
SLIDEMESH_LATE(int, PQnfields, (const PGresult* res), (res))
SLIDEMESH_LATE(char*, PQfname, (const PGresult* res, int field), (res, field))
SLIDEMESH_LATE(Oid, PQftype, (const PGresult* res, int field), (res, field))
SLIDEMESH_LATE(char*, PQgetvalue, (const PGresult* res, int row, int field), (res, row, field))
SLIDEMESH_LATE(int, PQgetlength, (const PGresult* res, int row, int field), (res, row, field))
SLIDEMESH_LATE(int, PQgetisnull, (const PGresult* res, int row, int field), (res, row, field))
SLIDEMESH_LATE(int, PQputCopyData, (PGconn * conn, const char* buffer, int bytes), (conn, buffer, bytes))
SLIDEMESH_LATE(int, PQputCopyEnd, (PGconn * conn, const char* message), (conn, message))
SLIDEMESH_LATE(int, PQgetCopyData, (PGconn * conn, char** buffer, int async), (conn, buffer, async))
SLIDEMESH_LATE(void, PQfreemem, (void* memory), (memory))
SLIDEMESH_LATE(char*, PQescapeLiteral, (PGconn * conn, const char* text, size_t length), (conn, text, length))
SLIDEMESH_LATE(char*, PQescapeIdentifier, (PGconn * conn, const char* text, size_t length), (conn, text, length))

#undef SLIDEMESH_LATE

#endif
