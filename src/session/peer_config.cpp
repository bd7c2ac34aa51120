#include "config_sections.h"

namespace slidemesh {

namespace {

Keys<PeerConfig> peer_keys() {
  return Keys<PeerConfig>()
      .number("patience", &PeerConfig::patience_seconds, kPositive,
              "seconds that a neighbour may be gone before this party gives the run up; each party has its own: "
              "[peers-admin.md](peers-admin.md)")
      .choice<bool PeerConfig::*, bool>("bad_message", &PeerConfig::ends_on_bad_message,
                                        {{"end", true}, {"wait", false}},
                                        "what follows a neighbour's message that cannot be: the end of this party's "
                                        "run, or of the connection alone, and the run waits for a better one");
}

}  // namespace

PeerConfig parse_peer(ConfigTable table) {
  PeerConfig peer;
  peer_keys().read(table, peer);
  table.finish();
  return peer;
}

std::vector<KeyDoc> peer_keys_docs() { return peer_keys().docs(); }

PeerConfig peer_config(const Config& config) {
  ConfigTable root(config.tree, 0, "", config.file);
  const auto section = root.table("peer");
  return section ? parse_peer(*section) : PeerConfig{};
}

}  // namespace slidemesh
