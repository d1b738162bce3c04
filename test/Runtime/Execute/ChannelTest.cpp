#include "Execute/ThreadTransport.h"
#include "Execute/Waits.h"
#include "plc/Runtime/Execute/MakeTransport.h"

#include <gtest/gtest.h>

using namespace plc::runtime;

namespace {
ChannelInfo channelOf(const char *name, int64_t source, int64_t destination) {
  return {name, source, destination, 4, 4, 1, 0, false};
}

/// Ranks that step, with these channels and one micro-batch.
EntryPlan entryOf(size_t numRanks, std::vector<ChannelInfo> channels) {
  EntryPlan entry;
  entry.channels = std::move(channels);
  ActionInfo step;
  step.op = ActionInfo::Op::Step;
  entry.ranks.assign(numRanks, RankInfo{"s", 0, {}, {}, {step}});
  return entry;
}
} // namespace

TEST(Channel, CopiesWhicheverSideIsSecond) {
  Channel channel(channelOf("y", 0, 1), 2);
  std::byte source[4] = {std::byte(1), std::byte(2), std::byte(3), std::byte(4)}, first[4] = {}, second[4] = {};
  EXPECT_FALSE(channel.postReceive(0, first));
  EXPECT_TRUE(channel.send(0, source, 4));
  EXPECT_TRUE(channel.done(0));
  EXPECT_EQ(first[3], source[3]);
  EXPECT_FALSE(channel.send(1, source, 4));
  EXPECT_FALSE(channel.done(1));
  EXPECT_TRUE(channel.postReceive(1, second));
  EXPECT_TRUE(channel.done(1));
  EXPECT_EQ(second[3], source[3]);
  channel.reset();
  EXPECT_FALSE(channel.done(0));
}

TEST(Transports, AreFoundByNameAndTheFirstIsTheDefault) {
  EXPECT_EQ(findTransport("threads"), plc::TransportKind());
  try {
    findTransport("tcp");
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "found 'tcp' for key 'machine.transport', expected one of threads, mpi");
    EXPECT_EQ(error.exitCode, 2);
  }
}

TEST(ThreadTransport, WakesTheOtherSideOfAMessageAndAllOfAReduction) {
  EntryPlan entry = entryOf(2, {channelOf("y", 0, 1)});
  std::unique_ptr<Transport> transport = makeTransport(plc::TransportKind::Threads, entry);
  std::vector<size_t> woken;
  transport->connect([&](size_t rank) { woken.push_back(rank); });
  EXPECT_EQ(transport->localRanks(), (std::vector<size_t>{0, 1}));
  std::byte source[4] = {std::byte(7)}, buffer[4] = {};
  transport->send(0, 0, source, 4);
  EXPECT_TRUE(woken.empty());
  EXPECT_TRUE(transport->awaits({0, Wait::For::Send, 0, 0}, 1));
  EXPECT_FALSE(transport->awaits({0, Wait::For::Send, 0, 0}, 0));
  transport->post(0, 0, buffer, 4);
  EXPECT_EQ(woken, std::vector<size_t>{0});
  EXPECT_EQ(buffer[0], source[0]);
  EXPECT_TRUE(transport->test({1, Wait::For::Receive, 0, 0}));
  transport->reduce(1, {{{"b", 16}}, 2});
  EXPECT_FALSE(transport->test({1, Wait::For::Norm}));
  transport->reduce(0, {{{"a", 9}}, 1});
  EXPECT_EQ(woken, (std::vector<size_t>{0, 0, 1}));
  EXPECT_TRUE(transport->test({1, Wait::For::Norm}));
  EXPECT_EQ(transport->gradient().norm(), 5);
  EXPECT_EQ(transport->loss(), 3);
  transport->barrier(false);
  EXPECT_FALSE(transport->test({1, Wait::For::Receive, 0, 0}));
  EXPECT_FALSE(transport->test({1, Wait::For::Norm}));
}

TEST(Waits, TellACycleWhenItClosesAndNoneBefore) {
  EntryPlan entry = entryOf(3, {channelOf("y", 0, 1), channelOf("dy", 2, 0), channelOf("z", 1, 2)});
  ThreadTransport transport(entry);
  Waits waits(entry, transport);
  EXPECT_FALSE(waits.begin({1, Wait::For::Receive, 0})); // for rank 0
  transport.reduce(2, {});
  EXPECT_FALSE(waits.begin({2, Wait::For::Norm})); // for ranks 0 and 1
  ASSERT_EQ(waits.lines().size(), 2u);
  EXPECT_EQ(waits.lines()[1], "rank 2 waits at the step for rank 0, 1");
  waits.end(2);
  EXPECT_FALSE(waits.begin({2, Wait::For::Receive, 2})); // for rank 1
  auto error = waits.begin({0, Wait::For::Receive, 1});  // for rank 2
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(), "ranks wait for each other in a cycle: 0 -> 2 -> 1 -> 0");
  EXPECT_EQ(error->exitCode, 5);
  EXPECT_EQ(error->notes[0], "rank 0 waits for 'dy', micro-batch 0, which rank 2 has not sent");
  EXPECT_EQ(error->notes[2], "rank 1 waits for 'y', micro-batch 0, which rank 0 has not sent");
}

// Who waits for any of several is stuck only if each of them is for a rank that is.
TEST(Waits, TellOfAnyOfSeveral) {
  EntryPlan entry = entryOf(3, {channelOf("y", 0, 1), channelOf("dy", 1, 0), channelOf("z", 2, 0)});
  ThreadTransport transport(entry);
  Waits waits(entry, transport);
  const Wait both[] = {{0, Wait::For::Receive, 1}, {0, Wait::For::Receive, 2}};
  EXPECT_FALSE(waits.begin({1, Wait::For::Receive, 0})); // for rank 0
  EXPECT_FALSE(waits.begin(both));                       // for ranks 1 and 2, which runs
  auto error = waits.begin({2, Wait::For::Send, 2});     // for rank 0
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(), "ranks wait for each other in a cycle: 0 -> 1 -> 0");
  EXPECT_EQ(error->notes[1], "rank 0 waits for 'z', micro-batch 0, which rank 2 has not sent");
  EXPECT_EQ(waits.lines().size(), 4u);
}

TEST(Waits, TellNoCycleThroughAWaitThatIsOver) {
  EntryPlan entry = entryOf(2, {channelOf("y", 0, 1), channelOf("dy", 1, 0)});
  ThreadTransport transport(entry);
  Waits waits(entry, transport);
  std::byte buffer[4] = {};
  EXPECT_FALSE(waits.begin({1, Wait::For::Receive, 0}));
  transport.post(0, 0, buffer, 4);
  transport.send(0, 0, buffer, 4); // rank 1 has not noticed yet
  EXPECT_FALSE(waits.begin({0, Wait::For::Receive, 1}));
  EXPECT_TRUE(waits.begin({1, Wait::For::Send, 1}));
}
