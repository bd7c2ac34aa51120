#pragma once

#include <libpq-fe.h>

#include "slidemesh/base/late_library.h"

// libpq is opened when a server is first asked for. Each of its functions that is used is looked up then.

namespace slidemesh::postgres {

inline constexpr LateLibrary kLibpq{"libpq.so.5", "data.source", "PostgreSQL's library libpq.so.5 (Debian: libpq5)"};

}  // namespace slidemesh::postgres

#define SLIDEMESH_LATE_LIBPQ(name) SLIDEMESH_LATE(slidemesh::postgres::kLibpq, name)
#define PQclear SLIDEMESH_LATE_LIBPQ(PQclear)
#define PQconnectdbParams SLIDEMESH_LATE_LIBPQ(PQconnectdbParams)
#define PQconninfoFree SLIDEMESH_LATE_LIBPQ(PQconninfoFree)
#define PQconninfoParse SLIDEMESH_LATE_LIBPQ(PQconninfoParse)
#define PQerrorMessage SLIDEMESH_LATE_LIBPQ(PQerrorMessage)
#define PQescapeIdentifier SLIDEMESH_LATE_LIBPQ(PQescapeIdentifier)
#define PQescapeLiteral SLIDEMESH_LATE_LIBPQ(PQescapeLiteral)
#define PQexecParams SLIDEMESH_LATE_LIBPQ(PQexecParams)
#define PQfinish SLIDEMESH_LATE_LIBPQ(PQfinish)
#define PQfname SLIDEMESH_LATE_LIBPQ(PQfname)
#define PQfreemem SLIDEMESH_LATE_LIBPQ(PQfreemem)
#define PQftype SLIDEMESH_LATE_LIBPQ(PQftype)
#define PQgetCopyData SLIDEMESH_LATE_LIBPQ(PQgetCopyData)
#define PQgetResult SLIDEMESH_LATE_LIBPQ(PQgetResult)
#define PQgetisnull SLIDEMESH_LATE_LIBPQ(PQgetisnull)
#define PQgetlength SLIDEMESH_LATE_LIBPQ(PQgetlength)
#define PQgetvalue SLIDEMESH_LATE_LIBPQ(PQgetvalue)
#define PQnfields SLIDEMESH_LATE_LIBPQ(PQnfields)
#define PQntuples SLIDEMESH_LATE_LIBPQ(PQntuples)
#define PQprepare SLIDEMESH_LATE_LIBPQ(PQprepare)
#define PQputCopyData SLIDEMESH_LATE_LIBPQ(PQputCopyData)
#define PQputCopyEnd SLIDEMESH_LATE_LIBPQ(PQputCopyEnd)
#define PQresultErrorField SLIDEMESH_LATE_LIBPQ(PQresultErrorField)
#define PQresultStatus SLIDEMESH_LATE_LIBPQ(PQresultStatus)
#define PQsendQueryPrepared SLIDEMESH_LATE_LIBPQ(PQsendQueryPrepared)
#define PQserverVersion SLIDEMESH_LATE_LIBPQ(PQserverVersion)
#define PQsetNoticeProcessor SLIDEMESH_LATE_LIBPQ(PQsetNoticeProcessor)
#define PQstatus SLIDEMESH_LATE_LIBPQ(PQstatus)
