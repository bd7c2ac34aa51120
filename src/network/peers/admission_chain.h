#pragma once

#include <openssl/x509.h>

#include <string>
#include <vector>

#include "slidemesh/network/peers/admission.h"

namespace slidemesh::peers {

/// As the public `judge`, on certificates that a connection has parsed already.
[[nodiscard]] Verdict judge(const std::vector<X509*>& chain, const AdmissionRules& rules, std::time_t now,
                            const std::string& expected);

}  // namespace slidemesh::peers
