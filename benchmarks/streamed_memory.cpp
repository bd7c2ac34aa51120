// Generates a LIBSVM file (1 GB unless told otherwise), streams it, makes a full pass, and reports the
// peak memory of the process. Fails above 200 MB.
//
//   slidemesh_streamed_memory [MEGABYTES] [DIRECTORY]

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "slidemesh/base/random.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/store/streamed.h"

namespace {

using namespace slidemesh;
using Clock = std::chrono::steady_clock;

constexpr double kMostMegabytes = 200.0;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// Lines as ijcnn1's are: 13 of 22 features, six decimals. A few thousand are made and then repeated.
void generate(const std::filesystem::path& file, double megabytes) {
  RandomStream random(1, Purpose::kSynthetic);
  std::string piece;
  for (int r = 0; r < 5000; ++r) {
    piece.append(random.unit() < 0.1 ? "1" : "-1");
    for (int j = 10; j <= 22; ++j) {
      piece.append(" ").append(std::to_string(j)).append(":").append(std::to_string(random.uniform(-1.0, 1.0)));
    }
    piece.append("\n");
  }
  std::ofstream out(file, std::ios::binary);
  for (double written = 0.0; written < megabytes * 1e6; written += static_cast<double>(piece.size())) {
    out << piece;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 1000.0;
  const std::filesystem::path directory = argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string();
  const auto file = directory / "slidemesh-streamed-memory.libsvm";
  generate(file, megabytes);

  auto begin = Clock::now();
  const auto reader = open_libsvm(file);
  const auto table = std::make_shared<StoredRows>(*reader, 0, directory);
  const double spooled = seconds_since(begin);
  std::filesystem::remove(file);

  const auto sources = table->sources(split_rows(table->labels(), 10));
  begin = Clock::now();
  double sum = 0.0;
  for (const auto& source : sources) {
    source->scan(AccessPurpose::kValue, [&](const RowBlock& block, Index) { sum += block.values[0]; });
  }
  const double passed = seconds_since(begin);
  const double peak = peak_megabytes();
  std::printf("%.0f MB of text, %ld rows: read in %.1f s, a pass in %.1f s, peak memory %.0f MB (limit %.0f)  [%g]\n",
              megabytes, static_cast<long>(table->rows()), spooled, passed, peak, kMostMegabytes, sum);
  return peak < kMostMegabytes ? 0 : 1;
}
