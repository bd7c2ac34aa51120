#include "slidemesh/network/peers/mesh_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "slidemesh/base/random.h"

namespace slidemesh::peers {
namespace {

using ::testing::ElementsAre;

TEST(MeshMap, APartyAloneIsAMesh) {
  const MeshMap map("a", {1, 1}, {});
  ASSERT_TRUE(map.view().has_value());
  EXPECT_EQ(map.view()->parties, std::vector<std::string>{"a"});
}

TEST(MeshMap, WaitsForEveryPartyThatIsListedAnywhere) {
  MeshMap map("b", {1, 1}, {"c", "a"});
  EXPECT_FALSE(map.view().has_value());
  EXPECT_TRUE(map.update({"a", {1, 1}, 0, {"b"}}));
  EXPECT_TRUE(map.update({"c", {1, 1}, 0, {"b", "d"}}));
  EXPECT_THAT(map.missing(), ElementsAre("d has not been heard of (a neighbour of c)"));
  EXPECT_TRUE(map.update({"d", {1, 1}, 0, {"c"}}));
  const auto view = map.view();
  ASSERT_TRUE(view.has_value());
  EXPECT_THAT(view->parties, ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(view->self, 1);
  EXPECT_EQ(view->graph.edge_list(), (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(MeshMap, TwoPartiesMustListEachOther) {
  MeshMap map("a", {1, 1}, {"b"});
  map.update({"b", {1, 1}, 0, {"c"}});
  map.update({"c", {1, 1}, 0, {"b"}});
  EXPECT_FALSE(map.view().has_value());
  EXPECT_THAT(map.missing(), ElementsAre("b does not list a as a neighbour"));
}

TEST(MeshMap, ARestartIsAnotherEpochAndAnOldRecordIsNoNews) {
  MeshMap map("a", {1, 1}, {"b"});
  map.update({"b", {5, 1}, 0, {"a"}});
  const auto before = map.view()->epoch;
  EXPECT_FALSE(map.update({"b", {4, 9}, 3, {"a"}}));
  EXPECT_FALSE(map.update({"b", {5, 1}, 0, {"a"}}));
  EXPECT_EQ(map.view()->epoch, before);
  EXPECT_TRUE(map.update({"b", {6, 1}, 0, {"a"}}));
  EXPECT_NE(map.view()->epoch, before);
}

TEST(MeshMap, APartyThatAllHaveDroppedIsOut) {
  MeshMap map("a", {1, 1}, {"b", "c"});
  map.update({"b", {1, 1}, 0, {"a", "c"}});
  map.update({"c", {1, 1}, 0, {"a", "b"}});
  EXPECT_EQ(map.view()->parties.size(), 3U);
  EXPECT_TRUE(map.set_neighbours({"b"}));
  EXPECT_FALSE(map.view().has_value());  // b still lists c, which does not list... a: b has not agreed yet
  map.update({"b", {1, 1}, 1, {"a"}});
  EXPECT_THAT(map.view()->parties, ElementsAre("a", "b"));
}

TEST(MeshMap, AnEarlierLifeUnderAFasterClockIsOutdone) {
  MeshMap map("a", {10, 1}, {"b"});
  EXPECT_TRUE(map.update({"a", {99, 5}, 4, {"b"}}));
  EXPECT_GT(map.own().incarnation, (Incarnation{99, 5}));
}

/// Records flood a random graph in random order, with parties that restart on the way: all maps must end up equal.
TEST(MeshMap, FloodingInAnyOrderEndsWithOneViewEverywhere) {
  for (std::uint32_t trial = 0; trial < 30; ++trial) {
    RandomStream random(3, Purpose::kTest, trial);
    const Index m = 2 + random.index(7);
    std::vector<std::vector<std::string>> lists(static_cast<std::size_t>(m));
    const auto name = [](Index i) { return std::string(1, static_cast<char>('a' + i)); };
    const auto join = [&](Index i, Index j) {
      lists[static_cast<std::size_t>(i)].push_back(name(j));
      lists[static_cast<std::size_t>(j)].push_back(name(i));
    };
    for (Index i = 1; i < m; ++i) {
      join(i, random.index(i));
    }
    std::vector<MeshMap> maps;
    for (Index i = 0; i < m; ++i) {
      maps.emplace_back(name(i), Incarnation{1, 1}, lists[static_cast<std::size_t>(i)]);
    }
    // (from, to, record) under way; links keep the order, so one queue for each direction would do: any order must.
    struct Letter {
      Index to;
      Record record;
    };
    std::vector<Letter> letters;
    const auto tell = [&](Index from, const Record& record) {
      for (const auto& to : lists[static_cast<std::size_t>(from)]) {
        letters.push_back({Index{to[0] - 'a'}, record});
      }
    };
    for (Index i = 0; i < m; ++i) {
      tell(i, maps[static_cast<std::size_t>(i)].own());
    }
    int restarts = 3;
    while (!letters.empty()) {
      const auto pick = static_cast<std::size_t>(random.index(static_cast<std::int64_t>(letters.size())));
      const Letter letter = letters[pick];
      letters.erase(letters.begin() + static_cast<std::ptrdiff_t>(pick));
      auto& map = maps[static_cast<std::size_t>(letter.to)];
      if (map.update(letter.record)) {
        tell(letter.to, letter.record);
      }
      if (restarts > 0 && random.index(10) == 0) {
        const Index who = random.index(m);
        const auto life = static_cast<std::uint64_t>(10 - restarts--);
        maps[static_cast<std::size_t>(who)] = MeshMap(name(who), {life, 2}, lists[static_cast<std::size_t>(who)]);
        for (const auto& neighbour : lists[static_cast<std::size_t>(who)]) {  // a new connection: the whole map
          const Index n = neighbour[0] - 'a';
          for (const auto& record : maps[static_cast<std::size_t>(n)].all()) {
            letters.push_back({who, record});
          }
        }
        tell(who, maps[static_cast<std::size_t>(who)].own());
      }
    }
    for (const auto& map : maps) {
      ASSERT_TRUE(map.view().has_value()) << "trial " << trial;
      EXPECT_EQ(map.view()->epoch, maps.front().view()->epoch);
      EXPECT_EQ(map.view()->graph.edge_list(), maps.front().view()->graph.edge_list());
    }
  }
}

}  // namespace
}  // namespace slidemesh::peers
