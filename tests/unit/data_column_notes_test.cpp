#include "slidemesh/data/load/agreements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slidemesh/data/dataset.h"
#include "slidemesh/network/in_process.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TempDir;

std::vector<std::string> notes_of(const std::string& text, Scaling scaling = Scaling::kNone, bool streamed = false) {
  const TempDir dir;
  InProcessNetwork network(Graph(2, std::vector<Edge>{{0, 1}}));
  DataSpec spec{.source = DataSourceKind::kCsv, .path = dir.write("t.csv", text), .streamed = streamed};
  spec.preparation.scaling = scaling;
  return load_dataset(spec, LabelKind::kReal, network).notes;
}

TEST(ColumnNotes, TellOfTimeStampsAndOfScalesThatAreFarApart) {
  const std::string text = "label,when,size\n1,1.6e9,0.5\n2,1.7e9,0.25\n3,1.65e9,0.5\n4,1.61e9,1\n";
  EXPECT_THAT(notes_of(text), ElementsAre(AllOf(HasSubstr("numbers of a time stamp's size: 'when', up to 1.7e+09"),
                                                HasSubstr("data.scaling = \"standard\"")),
                                          HasSubstr("scales that are far apart: 'size' goes to 1, 'when' to 1.7e+09")));
  EXPECT_THAT(notes_of(text, Scaling::kStandard), IsEmpty());
}

TEST(ColumnNotes, TellOfColumnsThatAreConstantOrTheSameAtAllNodes) {
  // 'half' is constant at each node and 'twin' is 'a' at the first node alone.
  const std::string text = "label,a,one,b,half,twin\n1,2,7,2,1,2\n2,3,7,3,1,3\n3,4,7,4,5,9\n4,5,7,5,5,8\n";
  for (const bool streamed : {false, true}) {
    const Scaling scaling = streamed ? Scaling::kMaxAbs : Scaling::kNone;
    EXPECT_THAT(notes_of(text, scaling, streamed),
                ElementsAre(AllOf(HasSubstr("one value in every row of all nodes: 'one'"), Not(HasSubstr("half"))),
                            AllOf(HasSubstr("the same numbers as an earlier column: 'b' ('b' is 'a')"),
                                  Not(HasSubstr("twin")))));
  }
  EXPECT_THAT(notes_of(text, Scaling::kNone, true), IsEmpty()) << "rows on disk are not read for this alone";
}

}  // namespace
}  // namespace slidemesh
