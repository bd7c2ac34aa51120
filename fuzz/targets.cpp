#include "targets.h"

#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "refuse_or_read.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/data/formats/csv.h"
#include "slidemesh/data/formats/decompress.h"
#include "slidemesh/data/formats/libsvm.h"
#include "slidemesh/data/formats/matrix_market.h"
#include "slidemesh/graphs/generators.h"
#include "slidemesh/report/report.h"
#include "slidemesh/report/writers.h"
#include "slidemesh/session/checkpoint.h"
#include "slidemesh/session/model.h"
#include "slidemesh/sets/polytope.h"

namespace slidemesh::fuzz {

namespace {

/// For readers that take a path alone: a file in memory where there is one, else in the temporary directory.
class File {
 public:
  explicit File(const std::string& name = "input") {
    const std::filesystem::path memory = "/dev/shm";
    const auto temporary = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    directory_ = temporary / ("slidemesh-fuzz-" + name + "-" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
    path_ = directory_ / name;
  }
  ~File() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::filesystem::path& with(std::span<const std::uint8_t> bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(as_text(bytes).data(), static_cast<std::streamsize>(bytes.size()));
    return path_;
  }

 private:
  std::filesystem::path directory_;
  std::filesystem::path path_;
};

File& file() {
  static File instance;
  return instance;
}

}  // namespace

void libsvm(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(parse_libsvm(as_text(bytes), "input")); });
  refuse_or_read([&] { static_cast<void>(parse_libsvm(as_text(bytes), "input", {.max_rows = 2, .features = 3})); });
}

void csv(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(parse_csv(as_text(bytes), "input")); });
  CsvOptions options;
  options.missing = MissingValues::kMean;
  options.categorical = CategoricalColumns::kOneHot;
  refuse_or_read([&] { static_cast<void>(parse_csv(as_text(bytes), "input", options)); });
}

void matrix_market(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(parse_matrix_market(as_text(bytes), "input")); });
  refuse_or_read([&] { static_cast<void>(parse_matrix_market(as_text(bytes), "input", {}, "1\n-1\n1\n")); });
}

void edge_list(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(read_edge_list(file().with(bytes))); });
}

void decompress(std::span<const std::uint8_t> bytes) {
  // An archive of a few bytes may rightly hold terabytes; whoever reads it decides when it is enough.
  constexpr std::size_t kEnough = std::size_t{1} << 22U;
  refuse_or_read([&] {
    const auto stream = open_bytes(as_text(bytes), "input");
    std::array<char, 4096> buffer{};
    std::size_t total = 0;
    for (std::size_t got = 1; got > 0 && total < kEnough; total += got) {
      got = stream->read(buffer);
    }
  });
}

namespace {

/// What a method would visit, of a few shapes.
void visit_all(StateVisitor& visitor) {
  Count k = 0;
  double weight = 0.0;
  Matrix x(3, 2);
  Vector v(2);
  std::vector<double> numbers;
  std::vector<Count> counts;
  visitor.visit("k", k);
  visitor.visit("weight", weight);
  visitor.visit("x", x);
  visitor.visit("v", v);
  visitor.node(0);
  visitor.visit("own", x);
  visitor.visit("numbers", numbers);
  visitor.all_nodes();
  visitor.visit("counts", counts);
}

}  // namespace

void checkpoint(std::span<const std::uint8_t> bytes) {
  // As they are, and with the checksum and size put right: else hardly an input would get behind the header.
  std::string sealed(as_text(bytes));
  refuse_or_read([&] { CheckpointPart(sealed, "input"); });
  constexpr std::size_t kHeader = 32;
  if (sealed.size() < kHeader) {
    return;
  }
  const std::uint64_t size = sealed.size() - kHeader;
  const std::uint64_t sum = hash_of(std::string_view(sealed).substr(kHeader));
  std::memcpy(sealed.data() + 16, &size, sizeof(size));
  std::memcpy(sealed.data() + 24, &sum, sizeof(sum));
  refuse_or_read([&] {
    const auto part = std::make_shared<const CheckpointPart>(sealed, "input");
    const CheckpointIdentity& id = part->identity();
    CheckpointReader reader({part}, id.first_node, id.local_nodes);
    visit_all(reader);
    reader.finish();
  });
}

void model(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(read_models(file().with(bytes))); });
}

void summary(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(read_summary(file().with(bytes))); });
}

void trace(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(read_trace(file().with(bytes))); });
}

void context(std::span<const std::uint8_t> bytes) {
  static File file("context.json");
  const auto directory = file.with(bytes).parent_path();
  static const bool summarized = [&] {
    std::ofstream(directory / "summary.json") << R"({"schema": 1, "runs": []})";
    return true;
  }();
  static_cast<void>(summarized);
  refuse_or_read([&] { static_cast<void>(report_page(load_run_directory(directory))); });
}

void polytope(std::span<const std::uint8_t> bytes) {
  refuse_or_read([&] { static_cast<void>(read_polytope(file().with(bytes), 3)); });
  refuse_or_read([&] { static_cast<void>(read_points(file().with(bytes), 3)); });
}

void mps(std::span<const std::uint8_t> bytes) {
  static File file("input.mps");
  refuse_or_read([&] { static_cast<void>(read_polytope(file.with(bytes), 3)); });
}

}  // namespace slidemesh::fuzz
