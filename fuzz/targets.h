#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// One function a reader: takes any bytes, and either reads them or throws one of our errors. Everything else, a crash,
/// a sanitizer's report, another exception, memory or time without bound, is a finding.

namespace slidemesh::fuzz {

using Target = void (*)(std::span<const std::uint8_t> bytes);

void libsvm(std::span<const std::uint8_t> bytes);
void csv(std::span<const std::uint8_t> bytes);
void matrix_market(std::span<const std::uint8_t> bytes);
void edge_list(std::span<const std::uint8_t> bytes);
void decompress(std::span<const std::uint8_t> bytes);
void config(std::span<const std::uint8_t> bytes);
void checkpoint(std::span<const std::uint8_t> bytes);
void model(std::span<const std::uint8_t> bytes);
void summary(std::span<const std::uint8_t> bytes);
void trace(std::span<const std::uint8_t> bytes);
void context(std::span<const std::uint8_t> bytes);
void polytope(std::span<const std::uint8_t> bytes);
void mps(std::span<const std::uint8_t> bytes);
void wire(std::span<const std::uint8_t> bytes);
void invitation(std::span<const std::uint8_t> bytes);

}  // namespace slidemesh::fuzz
