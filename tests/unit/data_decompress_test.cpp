#include "slidemesh/data/formats/decompress.h"

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <functional>
#include <string>

#include "slidemesh/base/random.h"
#include "support/error_text.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using testing::error_text;
using testing::TempDir;

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string bzip2(const std::string& text) {
  auto size = static_cast<unsigned int>(text.size() + text.size() / 50 + 1000);
  std::string packed(size, '\0');
  BZ2_bzBuffToBuffCompress(packed.data(), &size, const_cast<char*>(text.data()), static_cast<unsigned int>(text.size()),
                           1, 0, 0);
  packed.resize(size);
  return packed;
}

std::string xz(const std::string& text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

std::string read_to_end(ByteStream& stream, std::size_t step = 4096) {
  std::string all;
  std::string piece(step, '\0');
  while (const std::size_t got = stream.read(piece)) {
    all.append(piece, 0, got);
  }
  return all;
}

std::string unpacked(const std::string& packed, std::size_t step = 4096) {
  return read_to_end(*open_bytes(packed, "f"), step);
}

std::string noise(std::size_t size) {
  RandomStream random(3, Purpose::kTest);
  std::string text(size, '\0');
  for (char& c : text) {
    c = static_cast<char>('a' + random.index(26));
  }
  return text;
}

struct Format {
  const char* name;
  std::function<std::string(const std::string&)> pack;
};

class Decompress : public ::testing::TestWithParam<Format> {};

TEST_P(Decompress, GivesBackWhatWasPacked) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, std::size_t{3000000}}) {
    const std::string text = noise(size);
    EXPECT_EQ(unpacked(GetParam().pack(text)), text);
  }
  EXPECT_EQ(unpacked(GetParam().pack(std::string(5000000, 'x')), 1 << 20), std::string(5000000, 'x'));
  EXPECT_EQ(unpacked(GetParam().pack("")), "");
}

TEST_P(Decompress, IsToldByItsBytesNotItsName) {
  const TempDir dir;
  const auto file = dir.write("plain.txt", GetParam().pack("hello"));
  EXPECT_EQ(read_to_end(*open_bytes(file)), "hello");
}

TEST_P(Decompress, ReadsArchivesThatWereJoined) {
  EXPECT_EQ(unpacked(GetParam().pack("one ") + GetParam().pack("two")), "one two");
}

TEST_P(Decompress, NoticesEveryCut) {
  const std::string packed = GetParam().pack(noise(20000));
  for (std::size_t size = 6; size < packed.size(); size += 1 + size / 7) {
    EXPECT_EQ(error_text<DataError>([&] { (void)unpacked(packed.substr(0, size)); }),
              std::string("f: expected a whole ") + GetParam().name + " archive, got one that is cut short")
        << size << " of " << packed.size();
  }
}

TEST_P(Decompress, NoticesDamage) {
  std::string packed = GetParam().pack(noise(20000));
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x10);
  EXPECT_EQ(error_text<DataError>([&] { (void)unpacked(packed); }),
            std::string("f: expected a sound ") + GetParam().name + " archive, got damaged or foreign bytes");
}

TEST_P(Decompress, NoticesForeignBytesBehindTheArchive) {
  EXPECT_NE(error_text<DataError>([&] {
              (void)unpacked(GetParam().pack("hello") + "some more words");
            }).find("f: expected a"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Formats, Decompress,
                         ::testing::Values(Format{"gzip", gzip}, Format{"bzip2", bzip2}, Format{"xz", xz},
                                           Format{"zstd", zstd}),
                         [](const auto& test) { return test.param.name; });

TEST(Decompress, LeavesPlainBytesAlone) {
  EXPECT_EQ(unpacked("plain"), "plain");
  EXPECT_EQ(unpacked("x"), "x");
  EXPECT_EQ(unpacked(""), "");
}

}  // namespace
}  // namespace slidemesh
