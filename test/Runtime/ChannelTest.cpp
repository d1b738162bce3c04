#include "Channel.h"
#include "Waits.h"

#include <gtest/gtest.h>

using namespace plc::runtime;

namespace {
ChannelInfo channelOf(const char *name, int64_t source, int64_t destination) {
  return {name, source, destination, 4, 4, false};
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

TEST(Waits, TellACycleWhenItClosesAndNoneBefore) {
  Channel forward(channelOf("y", 0, 1), 1), back(channelOf("dy", 2, 0), 1), between(channelOf("z", 1, 2), 1);
  GradientNormReduction exchange({true, true, true});
  Waits waits(3);
  EXPECT_FALSE(waits.begin(1, {&forward, nullptr, 0, false})); // for rank 0
  exchange.bring(2, {});
  EXPECT_FALSE(waits.begin(2, {nullptr, &exchange})); // for ranks 0 and 1
  EXPECT_EQ(waits.lines().size(), 2u);
  waits.end(2);
  EXPECT_FALSE(waits.begin(2, {&between, nullptr, 0, false})); // for rank 1
  auto error = waits.begin(0, {&back, nullptr, 0, false});     // for rank 2
  ASSERT_TRUE(error);
  EXPECT_STREQ(error->what(), "ranks wait for each other in a cycle: 0 -> 2 -> 1 -> 0");
  EXPECT_EQ(error->exitCode, 5);
  EXPECT_EQ(error->notes[0], "rank 0 waits for 'dy', micro-batch 0, which rank 2 has not sent");
  EXPECT_EQ(error->notes[2], "rank 1 waits for 'y', micro-batch 0, which rank 0 has not sent");
}

TEST(Waits, TellNoCycleThroughAWaitThatIsOver) {
  Channel forward(channelOf("y", 0, 1), 1), back(channelOf("dy", 1, 0), 1);
  Waits waits(2);
  std::byte place[4] = {};
  EXPECT_FALSE(waits.begin(1, {&forward, nullptr, 0, false}));
  forward.postReceive(0, place);
  forward.send(0, place, 4); // rank 1 has not noticed yet
  EXPECT_FALSE(waits.begin(0, {&back, nullptr, 0, false}));
  EXPECT_TRUE(waits.begin(1, {&back, nullptr, 0, true}));
}
