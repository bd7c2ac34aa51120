// Runs every file of fuzz/corpus through its target, with any compiler and without libFuzzer:
//
//   slidemesh_fuzz_replay CORPUS TARGET

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
      {"libsvm", fuzz::libsvm},         {"csv", fuzz::csv},       {"matrix_market", fuzz::matrix_market},
      {"edge_list", fuzz::edge_list},   {"config", fuzz::config}, {"decompress", fuzz::decompress},
      {"checkpoint", fuzz::checkpoint}, {"model", fuzz::model},   {"summary", fuzz::summary},
      {"trace", fuzz::trace},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto target = argc == 3 ? targets().find(argv[2]) : targets().end();
  if (target == targets().end()) {
    std::fprintf(stderr, "usage: slidemesh_fuzz_replay CORPUS TARGET\n");
    return 2;
  }
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / argv[2])) {
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
  std::printf("%s: %d inputs\n", argv[2], inputs);
  return inputs > 0 ? 0 : 1;
}
