#pragma once

// Copies the state of one object to another through their visit_state, as a checkpoint does.

#include <any>
#include <map>
#include <string>

#include "slidemesh/core/state.h"

namespace slidemesh::testing {

class StateKeeper final : public StateVisitor {
 public:
  using StateVisitor::visit;
  /// What is visited next is read back instead of kept.
  void read() {
    is_reading_ = true;
    position_ = 0;
  }
  /// Every number that was kept under this name is read back as this one.
  void forge(const std::string& name, double value) {
    for (auto& [key, kept] : kept_) {
      if (key.ends_with(" " + name)) {
        kept = value;
      }
    }
  }
  [[nodiscard]] bool is_reading() const override { return is_reading_; }
  void visit(std::string_view name, double& value) override { one(name, value); }
  void visit(std::string_view name, Count& value) override { one(name, value); }
  void visit(std::string_view name, Matrix& value) override { one(name, value); }
  void visit(std::string_view name, Vector& value) override { one(name, value); }
  void visit(std::string_view name, std::vector<double>& value) override { one(name, value); }
  void visit(std::string_view name, std::vector<Count>& value) override { one(name, value); }

 private:
  // Pieces are told apart by order and name: two parts of a product may use the same name.
  template <class T>
  void one(std::string_view name, T& value) {
    const std::string key = std::to_string(position_++) + " " + std::string(name);
    if (is_reading_) {
      value = std::any_cast<T>(kept_.at(key));
    } else {
      kept_[key] = value;
    }
  }

  bool is_reading_ = false;
  int position_ = 0;
  std::map<std::string, std::any> kept_;
};

template <class From, class To>
void copy_state(From& from, To& to) {
  StateKeeper keeper;
  from.visit_state(keeper);
  keeper.read();
  to.visit_state(keeper);
}

}  // namespace slidemesh::testing
