#pragma once

#include <memory>

namespace slidemesh {

/// An object that is copied with its owner, by its `clone()`. Its type must be complete only where one is made, so that
/// headers need not show what a class works with.
template <class T>
class Cloned {
 public:
  Cloned() : object_(nullptr, nullptr) {}
  template <class U>
  Cloned(std::unique_ptr<U> object)  // NOLINT(google-explicit-constructor): what is cloned is made as a unique_ptr
      : object_(object.release(), [](T* own) { delete own; }),
        clone_([](const T& own) -> T* { return own.clone().release(); }) {}
  Cloned(const Cloned& other)
      : object_(other.object_ ? other.clone_(*other.object_) : nullptr, other.object_.get_deleter()),
        clone_(other.clone_) {}
  Cloned(Cloned&&) noexcept = default;
  Cloned& operator=(const Cloned&) = delete;
  Cloned& operator=(Cloned&&) noexcept = default;
  ~Cloned() = default;

  [[nodiscard]] T& operator*() const { return *object_; }
  [[nodiscard]] T* operator->() const { return object_.get(); }

 private:
  std::unique_ptr<T, void (*)(T*)> object_;
  T* (*clone_)(const T&) = nullptr;
};

}  // namespace slidemesh
