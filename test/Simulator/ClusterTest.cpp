//===- ClusterTest.cpp - descriptions of clusters ---------------------------===//
#include "plc/Simulator/Cluster.h"

#include <gtest/gtest.h>

using namespace plc::simulator;

namespace {

// "LINE:COLUMN TEXT", or nothing.
std::string wrongWith(const std::string &text) {
  Cluster cluster;
  std::optional<ClusterError> error = readCluster(text, cluster);
  return error ? std::to_string(error->line) + ":" + std::to_string(error->column) + " " + error->text : "";
}

TEST(Cluster, ReadsAllThatThereIs) {
  Cluster cluster;
  auto error = readCluster(R"(
[[machines]]
name = "big"
ranks = 4
cores = 2
memory = "1.5GiB"
speed = 2
[[machines]]
count = 2
[links]
inside = { latency = "500ns", bandwidth = "20 GB/s" }
between = { latency = "20us", bandwidth = "8Gbit/s" }
[[links.pairs]]
machines = ["big", "1.0"]
latency = "1ms"
)",
                           cluster);
  ASSERT_FALSE(error) << error->text;
  ASSERT_EQ(cluster.machines.size(), 3u);
  EXPECT_EQ(cluster.machines[0].name, "big");
  EXPECT_EQ(cluster.machines[0].ranks, 4);
  EXPECT_EQ(cluster.machines[0].cores, 2);
  EXPECT_EQ(cluster.machines[0].memoryBytes, 3 << 29);
  EXPECT_EQ(cluster.machines[0].speed, 2);
  EXPECT_EQ(cluster.machines[2].name, "1.1");
  EXPECT_EQ(cluster.machines[2].ranks, 1);
  EXPECT_EQ(cluster.inside.latencyNs, 500);
  EXPECT_DOUBLE_EQ(cluster.inside.nsPerByte, 0.05);
  EXPECT_DOUBLE_EQ(cluster.between.nsPerByte, 1);
  EXPECT_EQ(cluster.link(1, 0).latencyNs, 1e6);
  EXPECT_EQ(cluster.link(1, 0).nsPerByte, 0);
  EXPECT_EQ(cluster.link(0, 2).latencyNs, 20000);
  EXPECT_EQ(cluster.link(2, 2).latencyNs, 500);
  std::vector<size_t> machineOf;
  EXPECT_FALSE(cluster.place(6, machineOf));
  EXPECT_EQ(machineOf, (std::vector<size_t>{0, 0, 0, 0, 1, 2}));
}

TEST(Cluster, SaysWhereItIsWrong) {
  EXPECT_EQ(wrongWith(""), "1:1 a cluster needs machines: a table '[[machines]]' for each, or for each kind");
  EXPECT_EQ(wrongWith("machines = 2\n"),
            "1:1 a cluster needs machines: a table '[[machines]]' for each, or for each kind");
  EXPECT_EQ(wrongWith("[[machines]]\ncore = 2\n"),
            "2:1 unknown key 'core' of a machine, expected 'name', 'count', 'ranks', 'cores', 'memory', 'speed'");
  EXPECT_EQ(wrongWith("[[machines]]\nranks = 0\n"), "2:9 'ranks' is 0 but must be an integer from 1 to 1000000");
  EXPECT_EQ(wrongWith("[[machines]]\nname = \"\"\n"), "2:8 'name' is \"\" but must be a name");
  EXPECT_EQ(wrongWith("[[machines]]\nspeed = -1\n"), "2:9 'speed' is -1 but must be a number from 0.000001 to 1000000");
  EXPECT_EQ(wrongWith("[[machines]]\nspeed = 1e-300 # slow\n"),
            "2:9 'speed' is 1e-300 but must be a number from 0.000001 to 1000000");
  EXPECT_EQ(wrongWith("[[machines]]\nspeed = 9007199254740993\n"), // which no double is
            "2:9 'speed' is 9007199254740993 but must be a number from 0.000001 to 1000000");
  EXPECT_EQ(wrongWith("[[machines]]\nmemory = \"4GB\"\n"),
            "2:10 'memory' is \"4GB\" but must be a quantity such as \"16GiB\"");
  EXPECT_EQ(wrongWith("[[machines]]\nmemory = \"0B\"\n"),
            "2:10 'memory' is \"0B\" but must be from 1B to 4294967296GiB");
  EXPECT_EQ(wrongWith("[[machines]]\nmemory = \"1e15GiB\"\n"),
            "2:10 'memory' is \"1e15GiB\" but must be from 1B to 4294967296GiB");
  EXPECT_EQ(wrongWith("[[machines]]\n[[machines]]\nname = \"0\"\n"), "3:8 two machines are named '0'");
  EXPECT_EQ(wrongWith("[[machines]]\nname = \"1\"\n[[machines]]\n"), "3:1 two machines are named '1'");
  EXPECT_EQ(wrongWith("[[machines]]\n[link]\n"), "2:2 unknown key 'link' of a cluster, expected 'machines', 'links'");
  EXPECT_EQ(wrongWith("links = 3\n[[machines]]\n"), "1:9 'links' needs a table");
  EXPECT_EQ(wrongWith("[[machines]]\n[links]\ninside = { latency = 3 }\n"),
            "3:22 'latency' is 3 but must be a quantity such as \"20us\"");
  EXPECT_EQ(wrongWith("[[machines]]\n[links]\ninside = { latency = \"99999999999999s\" }\n"),
            "3:22 'latency' is \"99999999999999s\" but must be from 0s to 1000000s");
  EXPECT_EQ(wrongWith("[[machines]]\n[links]\ninside = { latency = \"1e999s\" }\n"),
            "3:22 'latency' is \"1e999s\" but must be from 0s to 1000000s");
  EXPECT_EQ(wrongWith("[[machines]]\n[links]\ninside = { bandwidth = \"0GB/s\" }\n"),
            "3:24 'bandwidth' is \"0GB/s\" but must be from 0.000001MB/s to 1000000GB/s");
  EXPECT_EQ(wrongWith("[[machines]]\n[links]\npairs = 1\n"), "3:9 'pairs' needs tables '[[links.pairs]]'");
  EXPECT_EQ(wrongWith("[[machines]]\n[[links.pairs]]\nmachines = [\"0\"]\n"),
            "2:1 a link of 'pairs' needs 'machines', a list of two names");
  EXPECT_EQ(wrongWith("[[machines]]\n[[links.pairs]]\nmachines = [\"0\", \"x\"]\n"), "3:18 no machine is named 'x'");
  EXPECT_EQ(wrongWith("[[machines]]\n[[links.pairs]]\nmachines = [\"0\", \"0\"]\n"),
            "3:12 a machine has no link to itself; 'inside' is between its ranks");
  EXPECT_EQ(
      wrongWith("[[machines]]\ncount = 2\n[[links.pairs]]\nmachines = [\"0.0\", \"0.1\"]\nlatency = \"1us\"\n"
                "[[links.pairs]]\nmachines = [\"0.1\", \"0.0\"]\nlatency = \"2us\"\n"),
      "7:12 machines '0.1' and '0.0' have another link at line 4; leave one, which joins them in both directions");
  // Columns are of bytes, whatever stands before.
  EXPECT_EQ(wrongWith("[[machines]]\nname = \"é\" x\n").substr(0, 5), "2:13 ");
}

} // namespace
