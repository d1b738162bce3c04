#include "plc/Runtime/Base/FlightRecorder.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace plc::runtime;
namespace fs = std::filesystem;

namespace {

class FlightRecorderTest : public testing::Test {
protected:
  FlightRecorderTest() {
    std::string name = fs::temp_directory_path() / "plc-flight-test-XXXXXX";
    folder = ::mkdtemp(name.data());
  }
  ~FlightRecorderTest() override { fs::remove_all(folder); }

  /// Runs it in a process of its own, which then dies.
  template <class Run>
  pid_t die(int64_t process, Run run) const {
    pid_t child = ::fork();
    if (child == 0) {
      FlightRecorder::open(folder, process);
      run(*FlightRecorder::here());
      ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    return child;
  }

  std::string folder;
};

} // namespace

// A page that a full file system has no room for would be a bus error where it is written.
TEST_F(FlightRecorderTest, HasAllBytesFromTheStart) {
  die(0, [](FlightRecorder &) {});
  struct stat status = {};
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) {
      ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    }
  EXPECT_GT(status.st_size, 0);
  EXPECT_GE(status.st_blocks * 512, status.st_size);
}

TEST_F(FlightRecorderTest, OutlivesItsProcess) {
  pid_t child = die(3, [](FlightRecorder &flight) {
    flight.rank(1).startEntry(2);
    flight.rank(1).startAction(5);
    flight.rank(1).startCall(4);
    flight.rank(1).startCall(7);
    flight.rank(2).startEntry(1);
    flight.saveCheckpoint("run/step-4");
  });
  EXPECT_EQ(FlightRecorder::take(folder, 2), nullptr);
  auto flight = FlightRecorder::take(folder, 3);
  ASSERT_NE(flight, nullptr);
  EXPECT_EQ(flight->pid(), child);
  EXPECT_EQ(flight->rank(1).position().entry, 2u);
  EXPECT_EQ(flight->rank(1).position().action, 5u);
  EXPECT_EQ(flight->rank(1).position().call, 7u);
  EXPECT_EQ(flight->rank(2).position().entry, 1u);
  EXPECT_EQ(flight->rank(2).position().action, std::nullopt);
  EXPECT_EQ(flight->checkpoint(), "run/step-4");
  EXPECT_EQ(flight->exitCode(), std::nullopt);
  EXPECT_FALSE(flight->ended());
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(FlightRecorderTest, TellsLastWords) {
  die(0, [](FlightRecorder &flight) { flight.saveError(5, "it hangs"); });
  die(1, [](FlightRecorder &flight) { flight.saveEnd(); });
  auto failed = FlightRecorder::take(folder, 0), ended = FlightRecorder::take(folder, 1);
  EXPECT_EQ(failed->exitCode(), 5);
  EXPECT_EQ(failed->error(), "it hangs");
  EXPECT_TRUE(ended->ended());
}

TEST_F(FlightRecorderTest, IsSharedAndCopied) {
  auto shared = FlightRecorder::share();
  ASSERT_NE(shared, nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    FlightRecorder::keep(std::move(shared));
    FlightRecorder::here()->rank(1).startEntry(2);
    FlightRecorder::here()->saveCheckpoint("run/step-4");
    ::raise(SIGKILL);
  }
  shared->setPid(child);
  ::waitpid(child, nullptr, 0);
  auto copy = FlightRecorder::copy(shared->bytes());
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->pid(), child);
  EXPECT_EQ(copy->rank(1).position().entry, 2u);
  EXPECT_EQ(copy->checkpoint(), "run/step-4");
  shared->saveEnd();
  EXPECT_FALSE(copy->ended());
  const std::vector<std::byte> junk(FlightRecorder::numBytes, std::byte(0x7f));
  EXPECT_EQ(FlightRecorder::copy(junk.data()), nullptr);
}

// The file is what a process that was killed has left, or anybody who can write there.
TEST_F(FlightRecorderTest, TrustsNoByte) {
  for (unsigned byte : {0x01u, 0x7fu, 0xffu}) {
    die(0, [](FlightRecorder &) {});
    std::string file = folder + "/0";
    std::string bytes(fs::file_size(file), static_cast<char>(byte));
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
        .seekp(8)
        .write(bytes.data(), std::ssize(bytes) - 8);
    auto flight = FlightRecorder::take(folder, 0);
    ASSERT_NE(flight, nullptr);
    EXPECT_LE(flight->error().size(), 4096u);
    EXPECT_LE(flight->checkpoint().size(), 1024u);
    EXPECT_LT(flight->rank(size_t(-1)).position().entry, 4096u);
  }
  die(0, [](FlightRecorder &) {});
  fs::resize_file(folder + "/0", 100);
  EXPECT_EQ(FlightRecorder::take(folder, 0), nullptr);
  std::ofstream(folder + "/1") << std::string(100000, 'x');
  EXPECT_EQ(FlightRecorder::take(folder, 1), nullptr);
}
