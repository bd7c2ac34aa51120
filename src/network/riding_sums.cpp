#include "slidemesh/network/riding_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "slidemesh/base/fail.h"
#include "slidemesh/transport/transport.h"

namespace slidemesh {

namespace {

std::span<double> column_of(Matrix& matrix, Index column) {
  return {matrix.col(column).data(), static_cast<std::size_t>(matrix.rows())};
}

}  // namespace

RidingSums::RidingSums(Network& network, bool is_charged)
    : network_(network), is_charged_(is_charged), tree_(spanning_tree(network.graph(), graph_centre(network.graph()))) {
  level_.resize(static_cast<std::size_t>(tree_.depth) + 1);
  std::vector<Index> depth(tree_.parent.size(), 0);
  for (const Index node : tree_.order) {
    const Index parent = tree_.parent[static_cast<std::size_t>(node)];
    depth[static_cast<std::size_t>(node)] = parent < 0 ? 0 : depth[static_cast<std::size_t>(parent)] + 1;
    level_[static_cast<std::size_t>(depth[static_cast<std::size_t>(node)])].push_back(node);
  }
  for (auto& nodes : level_) {
    std::sort(nodes.begin(), nodes.end());
  }
  network_.riding_.push_back(this);
}

RidingSums::~RidingSums() { std::erase(network_.riding_, this); }

void RidingSums::post(const Matrix& values) {
  if (values.cols() != network_.local_nodes()) {
    fail<InternalError>("riding sum", fmt::format("{} columns", network_.local_nodes()), std::to_string(values.cols()));
  }
  posts_.push_back({0, values, {}});
}

Vector RidingSums::take() {
  require<InternalError>(ready(), "riding sum", "one that is ready", "none");
  Vector sum = posts_.front().columns.col(0);
  posts_.pop_front();
  return sum;
}

/// In the first h rounds partial sums go up from depth h, h − 1, ..., 1; in the next h results go down to 1, 2, ..., h.
RidingSums::Place RidingSums::place_of(const Post& post) const {
  const Index h = tree_.depth;
  return post.age < h ? Place{h - post.age, true} : Place{post.age - h + 1, false};
}

void RidingSums::board(std::vector<Rider>& sent, std::vector<Rider>& received) {
  for (Post& post : posts_) {
    if (post.age < delay()) {
      board(post, sent, received);
    }
  }
}

void RidingSums::board(Post& post, std::vector<Rider>& sent, std::vector<Rider>& received) {
  const Place place = place_of(post);
  const auto& children = level_[static_cast<std::size_t>(place.level)];
  const Index k = post.columns.rows();
  const auto comes_up_from_elsewhere = [&](Index child) {
    return place.up && !network_.owns(child) && network_.owns(tree_.parent[static_cast<std::size_t>(child)]);
  };
  post.arrived.resize(k, std::count_if(children.begin(), children.end(), comes_up_from_elsewhere));
  Index arriving = 0;
  for (const Index child : children) {
    const Index parent = tree_.parent[static_cast<std::size_t>(child)];
    const Index from = place.up ? child : parent;
    const Index to = place.up ? parent : child;
    if (is_charged_ && network_.owns(from)) {
      network_.meters().at(from - network_.first_node()).bytes_sent += k * static_cast<Count>(sizeof(double));
    }
    if (network_.owns(from) && !network_.owns(to)) {
      sent.push_back({from, to, column_of(post.columns, from - network_.first_node()), !is_charged_});
    } else if (network_.owns(to) && !network_.owns(from)) {
      received.push_back(
          {from, to,
           place.up ? column_of(post.arrived, arriving++) : column_of(post.columns, to - network_.first_node()),
           !is_charged_});
    }
  }
}

void RidingSums::arrive() {
  for (Post& post : posts_) {
    if (post.age < delay()) {
      arrive(post);
      ++post.age;
    }
  }
}

void RidingSums::arrive(Post& post) {
  const Place place = place_of(post);
  Index arrived = 0;
  for (const Index child : level_[static_cast<std::size_t>(place.level)]) {
    const Index parent = tree_.parent[static_cast<std::size_t>(child)];
    if (place.up && network_.owns(parent)) {
      auto sum = post.columns.col(parent - network_.first_node());
      if (network_.owns(child)) {
        sum += post.columns.col(child - network_.first_node());
      } else {
        sum += post.arrived.col(arrived++);
      }
    } else if (!place.up && network_.owns(child) && network_.owns(parent)) {
      post.columns.col(child - network_.first_node()) = post.columns.col(parent - network_.first_node());
    }
  }
}

void RidingSums::flush() {
  while (!posts_.empty() && posts_.back().age < delay()) {
    step_alone();
  }
}

void RidingSums::step_alone() {
  Meters& meters = network_.meters();
  for (const Post& post : posts_) {
    const Place place = place_of(post);
    for (const Index child :
         post.age < delay() ? level_[static_cast<std::size_t>(place.level)] : std::vector<Index>{}) {
      const Index from = place.up ? child : tree_.parent[static_cast<std::size_t>(child)];
      if (is_charged_ && network_.owns(from)) {
        ++meters.at(from - network_.first_node()).messages;
        ++meters.scalar_messages;
      }
    }
  }
  std::vector<Rider> sent;
  std::vector<Rider> received;
  board(sent, received);
  Transport& transport = *network_.transport_;
  const Traffic traffic = is_charged_ ? Traffic::kMethod : Traffic::kControl;
  for (const Rider& rider : sent) {
    transport.send(rider.from, rider.to, std::as_bytes(rider.values), traffic);
  }
  for (const Rider& rider : received) {
    transport.receive(rider.from, rider.to, std::as_writable_bytes(rider.values), traffic);
  }
  transport.finish_sends();
  arrive();
  meters.hops += is_charged_ ? 1 : 0;
}

void RidingSums::visit_state(StateVisitor& visitor) {
  std::vector<Count> ages;
  std::vector<Count> sizes;
  for (const Post& post : posts_) {
    ages.push_back(post.age);
    sizes.push_back(post.columns.rows());
  }
  visitor.visit("riding.ages", ages);
  visitor.visit("riding.sizes", sizes);
  if (visitor.is_reading()) {
    read_posts(ages, sizes);
  }
  for (Index i = 0; i < network_.local_nodes(); ++i) {
    std::vector<double> numbers;
    for (const Post& post : posts_) {
      numbers.insert(numbers.end(), post.columns.col(i).begin(), post.columns.col(i).end());
    }
    const std::size_t size = numbers.size();
    visitor.node(i);
    visitor.visit("riding.columns", numbers);
    require<DataError>(numbers.size() == size, "riding.columns", fmt::format("{} numbers", size),
                       std::to_string(numbers.size()));
    auto next = numbers.begin();
    for (Post& post : posts_) {
      std::copy_n(next, post.columns.rows(), post.columns.col(i).begin());
      next += post.columns.rows();
    }
  }
  visitor.all_nodes();
}

/// Posts of these ages and sizes, as a checkpoint has them; oldest first, as they were posted.
void RidingSums::read_posts(const std::vector<Count>& ages, const std::vector<Count>& sizes) {
  constexpr Count kMost = Count{1} << 24;  // numbers of a post, and posts: far beyond what anybody posts
  const bool fits = ages.size() == sizes.size() && static_cast<Count>(ages.size()) <= kMost &&
                    std::is_sorted(ages.rbegin(), ages.rend()) &&
                    std::all_of(ages.begin(), ages.end(), [&](Count age) { return age >= 0 && age <= delay(); }) &&
                    std::all_of(sizes.begin(), sizes.end(), [&](Count size) { return size >= 0 && size <= kMost; });
  require<DataError>(fits, "riding.ages", fmt::format("ages from {} down to 0 and a size for each", delay()), "others");
  posts_.clear();
  for (std::size_t i = 0; i < ages.size(); ++i) {
    posts_.push_back({ages[i], Matrix::Zero(sizes[i], network_.local_nodes()), {}});
  }
}

}  // namespace slidemesh
