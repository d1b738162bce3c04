//===- NodeTraceTest.cpp - modules and lines of nodes ---------------------===//
#include "Read/NodeTrace.h"

#include <gtest/gtest.h>

using namespace plc::import;

TEST(NodeTrace, ReadsModules) {
  std::vector<ModuleFrame> expected{{"", "m.M"}, {"h.0", "m.Block"}, {"h.0.fc", "torch.nn.modules.linear.Linear"}};
  EXPECT_EQ(moduleFrames("L__self__,,m.M;L__self___h_0,h.0,m.Block;fc,h.0.fc,torch.nn.modules.linear.Linear"),
            expected);
  EXPECT_TRUE(moduleFrames("").empty());
}

TEST(NodeTrace, DividesAtCommasOutsideOfBrackets) {
  std::vector<ModuleFrame> expected{{"layers.0", "m.Block"}};
  EXPECT_EQ(moduleFrames("getattr(L__self___layers, '0'),layers.0,m.Block"), expected);
}

TEST(NodeTrace, LeavesOutNumbersOfCalls) {
  std::vector<ModuleFrame> expected{{"fc", "m.A"}, {"fc.act", "m.B"}};
  EXPECT_EQ(moduleFrames("x,fc@1,m.A;y,fc@12.act@2,m.B"), expected);
}

TEST(NodeTrace, LeavesOutItemsOfAnotherForm) { EXPECT_TRUE(moduleFrames("a,b;;a,b,c,d;(,,").empty()); }

TEST(NodeTrace, FindsTheInnermostLineOfTheUser) {
  SourceLine line =
      userLine("File \"/home/me/m.py\", line 7, in forward\n    return self.fc(x)\n"
               "  File \"/home/me/part.py\", line 21, in forward\n    return f(x)\n    ^^^^\n"
               "  File \"/usr/lib/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n    return y\n"
               "  File \"<eval_with_key>.3\", line 8, in forward\n    z");
  EXPECT_EQ(line.file, "/home/me/part.py");
  EXPECT_EQ(line.line, 21);
  EXPECT_EQ(line.text, "return f(x)");
}

TEST(NodeTrace, TakesTracesWithoutTextOrNumbers) {
  SourceLine line = userLine("File \"a.py\", line 7, in f\n  File \"b.py\", line x, in g");
  EXPECT_EQ(line.file, "a.py");
  EXPECT_EQ(line.text, "");
  EXPECT_EQ(userLine("nothing\nFile \"").line, 0);
}
