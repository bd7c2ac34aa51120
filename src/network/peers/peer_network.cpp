#include "slidemesh/network/peers/peer_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "slidemesh/base/fail.h"
#include "slidemesh/transport/sparse_message.h"
#include "slidemesh/transport/transport.h"

namespace slidemesh::peers {
namespace {

MessageKind round_of(Traffic traffic) {
  return traffic == Traffic::kMethod ? MessageKind::kRound : MessageKind::kControlRound;
}
MessageKind along(Traffic traffic) {
  return traffic == Traffic::kMethod ? MessageKind::kAlong : MessageKind::kControlAlong;
}

/// Messages between parties, one node each. The mesh does the work: this class says what is in a message.
class PeerTransport final : public Transport {
 public:
  PeerTransport(Mesh& mesh, MeshView view)
      : Transport(view.graph, view.self, 1), mesh_(mesh), view_(std::move(view)), columns_(at(view_.graph.nodes())) {}

  void start_exchange(const Stacked& x, Traffic traffic, const Riders& riders) override {
    own_ = x.col(0).data();
    dimension_ = at(x.rows());
    traffic_ = traffic;
    riders_ = riders;
    for (const Index j : neighbours()) {
      begin_message();
      Count of_control = 0;
      for (const Rider& rider : riders.sent) {
        if (rider.to == j) {
          const auto values = std::as_bytes(rider.values);
          message_.insert(message_.end(), values.begin(), values.end());
          of_control += rider.is_control ? static_cast<Count>(rider.values.size_bytes()) : 0;
        }
      }
      post(j, round_of(traffic), message_, traffic);
      wire_.bytes -= of_control;
      wire_.control_bytes += of_control;
    }
  }

  void finish_exchange() override {
    for (const Index j : neighbours()) {
      std::size_t size = dimension_;
      for (const Rider& rider : riders_.received) {
        size += rider.from == j ? rider.values.size() : 0;
      }
      auto& column = columns_[at(j)];
      column.resize(size);
      if (is_sparse()) {
        receive_sparse(j, column);
      } else {
        mesh_.receive(view_.epoch, name(j), round_of(traffic_), writable_bytes_of(column.data(), size));
      }
      require_finite(j, column);
      std::size_t position = dimension_;
      for (const Rider& rider : riders_.received) {
        if (rider.from == j) {
          std::copy_n(column.begin() + static_cast<std::ptrdiff_t>(position), rider.values.size(),
                      rider.values.begin());
          position += rider.values.size();
        }
      }
    }
  }

  [[nodiscard]] const double* column(Index node) const override {
    return node == view_.self ? own_ : columns_[at(node)].data();
  }

  void send(Index /*from*/, Index to, std::span<const std::byte> bytes, Traffic traffic) override {
    post(to, along(traffic), bytes, traffic);
  }
  void receive(Index from, Index /*to*/, std::span<std::byte> bytes, Traffic traffic) override {
    mesh_.receive(view_.epoch, name(from), along(traffic), bytes);
  }
  void finish_sends() override {}  // the mesh keeps a copy of what is under way

  [[nodiscard]] WireMeters wire() const override { return wire_; }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::span<const Index> neighbours() const { return graph().neighbours(view_.self); }
  [[nodiscard]] const std::string& name(Index node) const { return view_.parties[at(node)]; }

  [[nodiscard]] bool is_sparse() const { return wire_of(traffic_) == Wire::kSparse; }

  /// The own column, as it travels.
  void begin_message() {
    message_.clear();
    if (is_sparse()) {
      append_sparse(own_, static_cast<Index>(dimension_), message_);
      return;
    }
    const auto column = bytes_of(own_, dimension_);
    message_.assign(column.begin(), column.end());
  }

  /// A column and, behind it, what rides on it.
  void receive_sparse(Index from, std::vector<double>& values) {
    const std::string message = mesh_.receive(view_.epoch, name(from), round_of(traffic_));
    const auto size = read_sparse(bytes_of(message.data(), message.size()), std::span(values).first(dimension_));
    const std::span<double> riders = std::span(values).subspan(dimension_);
    if (!size || message.size() - *size != riders.size_bytes()) {
      fail<PeerLostError>(name(from) + ", a round",
                          fmt::format("a sparse column of {} numbers and {} behind it", dimension_, riders.size()),
                          std::to_string(message.size()) + " bytes that make none");
    }
    if (!riders.empty()) {
      std::memcpy(riders.data(), message.data() + *size, riders.size_bytes());
    }
  }

  void post(Index to, MessageKind kind, std::span<const std::byte> bytes, Traffic traffic) {
    mesh_.send(view_.epoch, name(to), kind, bytes);
    (traffic == Traffic::kMethod ? wire_.messages : wire_.control_messages) += 1;
    (traffic == Traffic::kMethod ? wire_.bytes : wire_.control_bytes) += static_cast<Count>(bytes.size());
  }

  /// Only what a party may rely on is passed to the method: one NaN of a neighbour's would be everyone's a few rounds
  /// later.
  void require_finite(Index from, const std::vector<double>& values) const {
    const bool are_floats = wire_of(traffic_) == Wire::kFloat32;
    const std::size_t columns = are_floats ? dimension_ : 0;  // of doubles that hold two floats each
    for (std::size_t r = 0; r < 2 * columns; ++r) {
      float number = 0.0F;
      std::memcpy(&number, reinterpret_cast<const std::byte*>(values.data()) + r * sizeof number, sizeof number);
      require_finite(from, r, static_cast<double>(number));
    }
    for (std::size_t r = columns; r < values.size(); ++r) {
      require_finite(from, columns + r, values[r]);
    }
  }
  void require_finite(Index from, std::size_t place, double value) const {
    if (!std::isfinite(value)) {
      fail<PeerLostError>(name(from) + ", a round: component " + std::to_string(place), "a finite number",
                          std::to_string(value));
    }
  }

  Mesh& mesh_;
  MeshView view_;
  const double* own_ = nullptr;
  std::size_t dimension_ = 0;
  Traffic traffic_ = Traffic::kMethod;
  Riders riders_;
  std::vector<std::byte> message_;
  std::vector<std::vector<double>> columns_;
  WireMeters wire_;
};

}  // namespace

std::unique_ptr<Network> make_peer_network(Mesh& mesh, const MeshView& view) {
  return std::make_unique<Network>(std::make_unique<PeerTransport>(mesh, view));
}

}  // namespace slidemesh::peers
