#include "checkpoint_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"
#include "slidemesh/base/hash.h"
#include "slidemesh/session/output_directory.h"

namespace slidemesh {

namespace {

constexpr std::size_t kLargestPart = std::size_t{1} << 40U;
constexpr int kMostProcesses = 1'000'000;

/// Labels are free text, file names are not: what is safe of the label, and a number that tells all labels apart.
std::string stem_of(const std::string& label) {
  constexpr std::size_t kShown = 40;
  std::string stem;
  for (const char c : label.substr(0, kShown)) {
    const bool safe =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    stem += safe ? c : '_';
  }
  return fmt::format("{}-{:08x}", stem, hash_of(label) & 0xFFFFFFFFU);
}

}  // namespace

CheckpointStore::CheckpointStore(std::filesystem::path directory, const std::string& label, int process, int processes,
                                 std::optional<CheckpointSeal> seal)
    : directory_(std::move(directory)),
      stem_(stem_of(label)),
      label_(label),
      process_(process),
      processes_(processes),
      seal_(std::move(seal)) {}

CheckpointStore::~CheckpointStore() {
  if (writing_.valid()) {
    writing_.wait();
  }
}

std::filesystem::path CheckpointStore::file(int process, int processes, int slot) const {
  return directory_ / fmt::format("{}.{}-of-{}.{}.checkpoint", stem_, process, processes, slot == 0 ? "a" : "b");
}

std::shared_ptr<const CheckpointPart> CheckpointStore::read_file(const std::filesystem::path& path) const {
  std::string bytes;
  try {
    bytes = read_text(path, kLargestPart);
  } catch (const Error&) {
    return nullptr;
  }
  // Not as good as none: somebody changed it, or the key is not the run's.
  if (seal_) {
    bytes = seal_->opened(std::move(bytes), path.string());
  } else if (CheckpointSeal::is_sealed(bytes)) {
    fail<UsageError>(path.string(), "the key that it was sealed with in output.checkpoint_key", "none");
  }
  try {
    auto part = std::make_shared<const CheckpointPart>(std::move(bytes), path.string());
    return part->identity().label == label_ ? part : nullptr;
  } catch (const Error&) {
    return nullptr;  // absent, torn or foreign: as good as none
  }
}

std::vector<CheckpointStore::Set> CheckpointStore::sets() const {
  std::vector<Set> found;
  for (const auto& path : entries_of(directory_)) {
    const std::string name = path.filename().string();
    int processes = 0;
    const std::string front = stem_ + ".0-of-";
    if (!name.starts_with(front) || std::sscanf(name.c_str() + front.size(), "%d", &processes) != 1 || processes < 1 ||
        processes > kMostProcesses) {
      continue;
    }
    if (const auto part = read_file(path)) {
      found.push_back({part->identity().step, processes});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Set& a, const Set& b) { return a.step > b.step; });
  return found;
}

std::shared_ptr<const CheckpointPart> CheckpointStore::read(const Set& set, int process) const {
  for (const int slot : {0, 1}) {
    auto part = read_file(file(process, set.processes, slot));
    if (part && part->identity().step == set.step) {
      return part;
    }
  }
  return nullptr;
}

void CheckpointStore::keep(const Set& set) {
  if (set.processes == processes_) {
    const auto part = read_file(file(process_, processes_, 0));
    slot_ = part && part->identity().step == set.step ? 1 : 0;
  }
}

bool CheckpointStore::busy() const {
  return writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void CheckpointStore::start(std::string bytes, std::function<void()> before) {
  bytes = seal_ ? seal_->sealed(std::move(bytes)) : std::move(bytes);
  writing_ = std::async(std::launch::async,
                        [path = file(process_, processes_, slot_), bytes = std::move(bytes),
                         before = std::move(before)]() mutable -> std::string {
                          try {
                            if (before) {
                              before();
                            }
                            make_directory(path.parent_path());
                            atomic_write(path, bytes);
                            std::string().swap(bytes);  // and not when somebody asks how it went
                            return "";
                          } catch (const std::exception& error) {
                            return error.what();
                          }
                        });
}

std::string CheckpointStore::wait() { return writing_.valid() ? writing_.get() : std::string(); }

void CheckpointStore::remove_all() {
  for (const auto& path : entries_of(directory_)) {
    const std::string name = path.filename().string();
    const bool part = name.starts_with(stem_ + ".") && name.ends_with(".checkpoint");
    const bool half = name.starts_with("." + stem_ + ".") && name.ends_with(".tmp");
    if (part || half) {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  }
}

}  // namespace slidemesh
