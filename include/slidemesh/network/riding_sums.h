#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "slidemesh/core/graph.h"
#include "slidemesh/core/state.h"
#include "slidemesh/linalg/types.h"
#include "slidemesh/network/network.h"

namespace slidemesh {

struct Rider;

/// Sums over all nodes that cost no waiting: they ride on the rounds that a method makes anyway.
///
///     RidingSums sums(network);
///     sums.post(values);                      // k numbers per local node, k x local_nodes
///     ... network.laplacian(x, y) ...         // each round takes every sum under way one edge further
///     if (sums.ready()) use(sums.take());     // at the same round at every node, the oldest first
///
/// Partial sums travel up a spanning tree and results down it, on the messages of `laplacian` and `mix`. The tree is
/// breadth first from a centre of the graph, so that its depth h is half of the diameter, rounded up, where the graph
/// is a tree, and never more than the diameter: a sum is ready `delay()` = 2h rounds after it was posted, and no exact
/// sum over all nodes can be ready before the diameter. Any number may be under way, and each has its own k.
///
/// Costs: 8 k bytes over each tree edge and direction, charged to the nodes that send them; no message, no hop. The
/// order of summation is the tree's (a node adds its children's sums, ascending, to its own values): the same bits on
/// every transport.
///
/// It belongs to one method, which lists it in its own visit_state. All processes post, take and flush at the same
/// rounds. The network must outlive it.
class RidingSums {
 public:
  explicit RidingSums(Network& network) : RidingSums(network, true) {}
  /// For measuring and stopping: on the method's messages, and charged to nobody. The transport counts the bytes as
  /// control's.
  static std::unique_ptr<RidingSums> uncharged(Network& network) {
    return std::unique_ptr<RidingSums>(new RidingSums(network, false));
  }
  ~RidingSums();
  RidingSums(const RidingSums&) = delete;
  RidingSums& operator=(const RidingSums&) = delete;

  /// Rounds from a post to its sum: 2h. 0 where there is one node only.
  [[nodiscard]] Index delay() const { return 2 * tree_.depth; }

  void post(const Matrix& values);
  /// How many were posted and not taken.
  [[nodiscard]] Index under_way() const { return static_cast<Index>(posts_.size()); }
  /// Whether the oldest has come through. The same at every node.
  [[nodiscard]] bool ready() const { return !posts_.empty() && posts_.front().age == delay(); }
  /// The oldest post's k sums, where it is ready.
  [[nodiscard]] Vector take();

  /// Where no more rounds take place: takes all that are under way to their end by messages of their own. Costs one hop
  /// for each edge that the youngest has still to go, and messages and bytes as they are.
  void flush();

  /// What is under way, so that a resumed run gets its sums at the same rounds.
  void visit_state(StateVisitor& visitor);

 private:
  friend class Network;

  RidingSums(Network& network, bool is_charged);

  struct Post {
    Index age = 0;   ///< rounds since it was posted
    Matrix columns;  ///< k x local_nodes: partial sums; on the way down results, where they have come
    Matrix arrived;  ///< what nodes elsewhere sent up in this round
  };
  /// Where a post is: between the nodes of depth `level` and their parents, on the way up or down.
  struct Place {
    Index level = 0;
    bool up = true;
  };
  [[nodiscard]] Place place_of(const Post& post) const;

  /// Before a round: what leaves for other processes and is expected from them; charges the bytes.
  void board(std::vector<Rider>& sent, std::vector<Rider>& received);
  void board(Post& post, std::vector<Rider>& sent, std::vector<Rider>& received);
  /// After it.
  void arrive();
  void arrive(Post& post);
  /// One step of all posts by messages of their own.
  void step_alone();
  void read_posts(const std::vector<Count>& ages, const std::vector<Count>& sizes);

  Network& network_;
  bool is_charged_;
  SpanningTree tree_;
  std::vector<std::vector<Index>> level_;  ///< level_[l]: the nodes of depth l, ascending
  std::deque<Post> posts_;                 ///< oldest first, which are ready first
};

}  // namespace slidemesh
