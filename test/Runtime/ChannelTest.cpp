#include "Channel.h"

#include <gtest/gtest.h>
#include <thread>

using namespace plc::runtime;

TEST(Channel, CopiesWhicheverSideIsSecond) {
  StopFlag stop{false};
  Channel channel(2, stop);
  std::byte source[4] = {std::byte(1), std::byte(2), std::byte(3), std::byte(4)}, first[4] = {}, second[4] = {};
  channel.postReceive(0, first);
  channel.send(0, source, 4);
  EXPECT_TRUE(channel.wait(0));
  EXPECT_EQ(first[3], source[3]);
  channel.send(1, source, 3); // messages have sizes of their own
  channel.postReceive(1, second);
  EXPECT_TRUE(channel.wait(1));
  EXPECT_EQ(second[2], source[2]);
  EXPECT_EQ(second[3], std::byte(0));
}

TEST(Channel, WaitEndsWhenTheRunIsStopped) {
  StopFlag stop{false};
  Channel channel(1, stop);
  std::thread other([&] {
    stop = true;
    channel.wakeAll();
  });
  EXPECT_FALSE(channel.wait(0));
  other.join();
}
