#include "Processes/FlightLink.h"
#include "Processes/Supervisor.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace plc::runtime;

namespace {

class FlightLinkTest : public testing::Test {
protected:
  void SetUp() override {
    if (links.address().empty())
      GTEST_SKIP() << "this machine has no network";
    address = links.address().substr(0, links.address().find(',', port())) + ",127.0.0.1";
  }

  /// Looks until a connection has told that much, or ten seconds have passed.
  std::vector<FlightLinks::News> look(size_t count = 1) {
    std::vector<FlightLinks::News> all;
    for (int turn = 0; turn < 1000 && all.size() < count; ++turn) {
      for (FlightLinks::News &news : links.look())
        all.push_back(std::move(news));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return all;
  }

  /// Looks until a process that came has told what it does, for which `isIt` is true; ten seconds at most. What it is
  /// asked beside, it may answer, too.
  FlightLinks::News told(bool (*isIt)(const FlightLinks::News &)) {
    bool came = false;
    for (int turn = 0; turn < 1000; ++turn) {
      for (FlightLinks::News &news : links.look()) {
        came |= news.what == FlightLinks::News::Came;
        if (came && news.what == FlightLinks::News::RunDescription && isIt(news))
          return std::move(news);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return {};
  }

  Socket connect(int64_t process) {
    auto connection = std::async(std::launch::async, [&] { return connectToLauncher(address, process); });
    std::vector<FlightLinks::News> news = look();
    EXPECT_EQ(news.size(), 1u);
    EXPECT_EQ(news.at(0).what, FlightLinks::News::Came);
    EXPECT_EQ(news.at(0).process, process);
    return connection.get();
  }

  /// What becomes of one who says that he is at that address, while the launcher looks.
  bool comes(const std::string &where) {
    auto connection = std::async(std::launch::async, [&] { return bool(connectToLauncher(where, 0)); });
    while (connection.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
      EXPECT_TRUE(links.look().empty());
    return connection.get();
  }

  /// Where the address tells the port, behind a secret and a patience.
  size_t port() const { return links.address().find(',', links.address().find(',') + 1) + 1; }

  FlightLinks links{3};
  std::string address;
};

void send(const Socket &socket, const void *data, size_t size) {
  EXPECT_EQ(::send(socket.get(), data, size, MSG_NOSIGNAL), static_cast<ssize_t>(size));
}

} // namespace

TEST_F(FlightLinkTest, TellsWhatASupervisorTells) {
  Socket socket = connect(3);
  ASSERT_TRUE(socket);
  std::unique_ptr<FlightRecorder> flight = FlightRecorder::share();
  flight->rank(1).startEntry(2);
  flight->rank(1).startAction(5);
  const FlightReport first{'S', 0, static_cast<int64_t>(FlightRecorder::numBytes)}, second{'T', 0, 0};
  send(socket, &first, sizeof(first));
  send(socket, flight->bytes(), FlightRecorder::numBytes);
  send(socket, &second, sizeof(second));
  std::vector<FlightLinks::News> news = look(2);
  ASSERT_EQ(news.size(), 2u);
  char host[256] = {};
  ::gethostname(host, sizeof(host) - 1);
  EXPECT_EQ(news[0].host, std::string(host).substr(0, 64));
  ASSERT_NE(news[0].recorder, nullptr);
  EXPECT_EQ(news[0].recorder->rank(1).position().entry, 2u);
  EXPECT_EQ(news[0].recorder->rank(1).position().action, 5u);
  EXPECT_EQ(news[1].report.state, 'T');
  EXPECT_EQ(news[1].recorder, nullptr);
}

TEST_F(FlightLinkTest, AsksAgainOnlyWhoHasAnswered) {
  Socket socket = connect(0);
  ASSERT_TRUE(socket);
  char questions[16];
  auto count = [&] {
    for (int turn = 0; turn < 100; ++turn) {
      EXPECT_TRUE(links.look().empty());
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return ::recv(socket.get(), questions, sizeof(questions), MSG_DONTWAIT);
  };
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(count(), -1);
  const FlightReport answer{'R', 0, 0};
  send(socket, &answer, sizeof(answer));
  EXPECT_EQ(look().size(), 1u);
  EXPECT_EQ(count(), 1);
}

TEST_F(FlightLinkTest, TellsAnEnd) {
  connect(1);
  std::vector<FlightLinks::News> news = look();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].what, FlightLinks::News::Closed);
  EXPECT_EQ(news[0].process, 1);
}

TEST_F(FlightLinkTest, KeepsStrangersAway) {
  std::string other = address;
  other[0] = other[0] == 'a' ? 'b' : 'a';
  EXPECT_FALSE(comes(other));
  EXPECT_FALSE(comes("a,b"));
  EXPECT_FALSE(comes(""));
  links.stopListening();
  EXPECT_FALSE(comes(address));
}

// What comes is what a process on another machine has left, or anybody who can write there.
TEST_F(FlightLinkTest, TrustsNoReport) {
  const std::vector<std::byte> junk(FlightRecorder::numBytes, std::byte(0x7f));
  for (int64_t size : {int64_t(-1), int64_t(1), INT64_MAX, static_cast<int64_t>(FlightRecorder::numBytes)}) {
    Socket socket = connect(2);
    ASSERT_TRUE(socket);
    const FlightReport report{'S', 0, size};
    send(socket, &report, sizeof(report));
    if (size == static_cast<int64_t>(FlightRecorder::numBytes))
      send(socket, junk.data(), junk.size());
    std::vector<FlightLinks::News> news = look();
    ASSERT_EQ(news.size(), 1u);
    EXPECT_EQ(news[0].what, FlightLinks::News::Closed);
  }
}

TEST_F(FlightLinkTest, FollowsAProcessToItsEnd) {
  pid_t supervisor = ::fork();
  if (supervisor == 0) {
    supervise(address, 4); // from here on two processes
    FlightRecorder::here()->rank(0).startEntry(3);
    ::raise(SIGKILL);
  }
  FlightLinks::News news = told([](const FlightLinks::News &each) { return each.report.state == FlightReport::gone; });
  ASSERT_NE(news.recorder, nullptr);
  EXPECT_EQ(news.report.signal, SIGKILL);
  EXPECT_NE(news.recorder->pid(), supervisor);
  EXPECT_EQ(news.recorder->rank(0).position().entry, 3u);
  int status = 0;
  EXPECT_EQ(::waitpid(supervisor, &status, 0), supervisor);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(FlightLinkTest, EndsAProcessWhoseLauncherIsGone) {
  pid_t supervisor = ::fork();
  if (supervisor == 0) {
    supervise(address, 4);
    for (;;)
      ::pause();
  }
  FlightLinks::News news = told([](const FlightLinks::News &each) { return each.recorder != nullptr; });
  ASSERT_NE(news.recorder, nullptr);
  auto worker = static_cast<pid_t>(news.recorder->pid());
  EXPECT_EQ(::kill(worker, 0), 0);
  links.close();
  int status = 0;
  EXPECT_EQ(::waitpid(supervisor, &status, 0), supervisor);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_NE(::kill(worker, 0), 0);
}
