#pragma once

#include <memory>
#include <string>

#include "slidemesh/data/formats/decompress.h"

namespace slidemesh {

/// The bytes that `packed` unpacks to; itself where it is not packed. DataError names `name`.
[[nodiscard]] std::unique_ptr<ByteStream> unpacked(Compression compression, std::unique_ptr<ByteStream> packed,
                                                   std::string name);

}  // namespace slidemesh
