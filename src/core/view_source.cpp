#include "slidemesh/core/view_source.h"

#include <algorithm>
#include <utility>

#include "slidemesh/base/fail.h"

namespace slidemesh {

namespace {

RowBlock select(RowBlock block, std::span<const Index> numbers) {
  block.count = static_cast<Index>(numbers.size());
  block.selection = numbers.data();
  return block;
}

}  // namespace

ViewSource::ViewSource(const RowBlock& storage, std::shared_ptr<const void> owner, Index first, Index count)
    : block_(storage), owner_(std::move(owner)) {
  if (first < 0 || count < 0 || first > storage.count - count) {
    throw InternalError("a view of rows reaches beyond its storage");
  }
  block_.count = count;
  block_.labels += first;
  if (block_.offsets != nullptr) {
    block_.offsets += first;
  } else {
    block_.values += first * block_.features;
  }
}

ViewSource::ViewSource(const RowBlock& storage, std::shared_ptr<const void> owner, std::vector<Index> numbers)
    : owner_(std::move(owner)), numbers_(std::move(numbers)) {
  if (numbers_.empty() ||
      std::any_of(numbers_.begin(), numbers_.end(), [&](Index n) { return n < 0 || n >= storage.count; })) {
    fail<InternalError>("a view of rows", "numbers of its storage's rows", "others");
  }
  block_ = select(storage, numbers_);
}

void ViewSource::scan(AccessPurpose /*purpose*/, const Visit& visit) { visit(block_, 0); }

RowBlock ViewSource::fetch(AccessPurpose /*purpose*/, std::span<const Index> numbers) {
  if (numbers_.empty()) {
    return select(block_, numbers);
  }
  selected_.resize(numbers.size());
  std::transform(numbers.begin(), numbers.end(), selected_.begin(),
                 [this](Index n) { return numbers_[static_cast<std::size_t>(n)]; });
  return select(block_, selected_);
}

}  // namespace slidemesh
