#include "config_file.h"
#include "refuse_or_read.h"
#include "targets.h"

namespace slidemesh::fuzz {

void config(std::span<const std::uint8_t> bytes) {
  refuse_or_read(
      [&] { static_cast<void>(make_config(app::parse_tree(std::string(as_text(bytes)), "input", {}), "input")); });
}

}  // namespace slidemesh::fuzz
