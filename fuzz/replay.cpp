// Runs every file of fuzz/corpus through its target, with any compiler and without libFuzzer:
//
//   slidemesh_fuzz_replay CORPUS TARGET...

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "targets.h"

namespace {

const std::map<std::string, slidemesh::fuzz::Target>& targets() {
  namespace fuzz = slidemesh::fuzz;
  static const std::map<std::string, fuzz::Target> all{
      {"libsvm", fuzz::libsvm},
      {"csv", fuzz::csv},
      {"matrix_market", fuzz::matrix_market},
      {"edge_list", fuzz::edge_list},
      {"decompress", fuzz::decompress},
      {"checkpoint", fuzz::checkpoint},
      {"model", fuzz::model},
      {"summary", fuzz::summary},
      {"trace", fuzz::trace},
      {"context", fuzz::context},
      {"polytope", fuzz::polytope},
      {"mps", fuzz::mps},
#ifndef SLIDEMESH_FUZZ_READERS_ONLY
      {"config", fuzz::config},
#endif
#ifdef SLIDEMESH_FUZZ_PEERS
      {"wire", fuzz::wire},
      {"invitation", fuzz::invitation},
#endif
  };
  return all;
}

int replay(const std::filesystem::path& corpus, const std::string& name) {
  const auto target = targets().find(name);
  if (target == targets().end()) {
    std::fprintf(stderr, "slidemesh_fuzz_replay: expected a target, got %s\n", name.c_str());
    return 2;
  }
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus / name)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    try {
      target->second({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: expected to be read or refused, got: %s\n", entry.path().c_str(), error.what());
      return 1;
    }
    ++inputs;
  }
  std::printf("%s: %d inputs\n", name.c_str(), inputs);
  return inputs > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int code = argc < 3 ? 2 : 0;
  for (int i = 2; i < argc && code == 0; ++i) {
    code = replay(argv[1], argv[i]);
  }
  return code;
}
