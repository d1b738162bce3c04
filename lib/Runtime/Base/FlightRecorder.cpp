// The layout of a flight recorder, its file, and its text for people.
#include "plc/Runtime/Base/FlightRecorder.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace plc::runtime {

/// The shared memory. One process writes, and another reads at any time, so each field is atomic or guarded by one that
/// is. Fixed sizes: texts that are longer are cut.
struct FlightRecorder::Contents {
  static constexpr uint64_t expected = 0x31'54'48'47'49'4c'46'50; // "PFLIGHT1"

  std::atomic<uint64_t> magic; // set last
  int64_t pid;
  std::atomic<int32_t> state, exitCode;
  std::atomic<uint32_t> checkpointWritten; // a sequence lock: odd while `checkpoint` is written
  char error[4096], checkpoint[1024];
  RankFlight ranks[mostRanks];
};

const size_t FlightRecorder::numBytes = sizeof(Contents);

namespace {

enum State : int32_t { Runs, Failed, Ended };

std::unique_ptr<FlightRecorder> own;

std::string fileOf(const std::string &folder, int64_t process) { return folder + "/" + std::to_string(process); }

/// Holds the pipe's end under a descriptor greater than any other. A process that ends closes the greatest first. So
/// the launcher sees this end before mpirun sees those of the other pipes, and ends other processes because of them.
void holdPipe(const std::string &pipe) {
  constexpr int great = 1000; // not tuned: more than the process has open, below the usual limit of 1024
  int file = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (file >= 0 && ::fcntl(file, F_DUPFD_CLOEXEC, great) >= 0)
    ::close(file);
}

void copyText(char *to, size_t size, const std::string &text) {
  size_t length = std::min(text.size(), size - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

} // namespace

FlightRecorder::Contents *FlightRecorder::map(const std::string &folder, int64_t process, bool make) {
  int file = ::open(fileOf(folder, process).c_str(), make ? O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC : O_RDWR | O_CLOEXEC,
                    S_IRUSR | S_IWUSR);
  if (file < 0)
    return nullptr;
  // A file that is too short would fault when it is read, and one without disk blocks when it is written.
  bool whole = make ? ::posix_fallocate(file, 0, sizeof(Contents)) == 0
                    : ::lseek(file, 0, SEEK_END) == static_cast<off_t>(sizeof(Contents));
  void *position = whole ? ::mmap(nullptr, sizeof(Contents), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  ::close(file);
  if (make && !whole)
    ::unlink(fileOf(folder, process).c_str());
  return position == MAP_FAILED ? nullptr : static_cast<Contents *>(position);
}

bool FlightRecorder::open(const std::string &folder, int64_t process) {
  Contents *contents = map(folder, process, /*make=*/true);
  if (!contents)
    return false;
  holdPipe(pipeOf(folder, process));
  contents->pid = ::getpid();
  // Last: a reader that sees it sees the rest.
  contents->magic.store(Contents::expected, std::memory_order_release);
  own.reset(new FlightRecorder(contents));
  return true;
}

std::unique_ptr<FlightRecorder> FlightRecorder::share() {
  void *position = ::mmap(nullptr, sizeof(Contents), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (position == MAP_FAILED)
    return nullptr;
  auto *contents = static_cast<Contents *>(position);
  contents->magic = Contents::expected;
  return std::unique_ptr<FlightRecorder>(new FlightRecorder(contents));
}

void FlightRecorder::keep(std::unique_ptr<FlightRecorder> shared) { own = std::move(shared); }

void FlightRecorder::setPid(int64_t pid) { contents->pid = pid; }

std::unique_ptr<FlightRecorder> FlightRecorder::copy(const std::byte *bytes) {
  std::unique_ptr<FlightRecorder> made = share();
  if (made)
    std::memcpy(static_cast<void *>(made->contents), bytes, sizeof(Contents));
  return made && made->contents->magic == Contents::expected ? std::move(made) : nullptr;
}

const std::byte *FlightRecorder::bytes() const { return reinterpret_cast<const std::byte *>(contents); }

std::string FlightRecorder::pipeOf(const std::string &folder, int64_t process) {
  return fileOf(folder, process) + ".end";
}

FlightRecorder *FlightRecorder::here() { return own.get(); }

std::unique_ptr<FlightRecorder> FlightRecorder::take(const std::string &folder, int64_t process) {
  Contents *contents = map(folder, process, /*make=*/false);
  if (!contents)
    return nullptr;
  std::unique_ptr<FlightRecorder> found(new FlightRecorder(contents));
  if (contents->magic.load(std::memory_order_acquire) != Contents::expected)
    return nullptr;
  ::unlink(fileOf(folder, process).c_str());
  return found;
}

FlightRecorder::~FlightRecorder() { ::munmap(contents, sizeof(Contents)); }

void FlightRecorder::saveError(int exitCode, const std::string &text) {
  copyText(contents->error, sizeof(contents->error), text);
  contents->exitCode.store(exitCode, std::memory_order_relaxed);
  contents->state.store(Failed, std::memory_order_release);
}

void FlightRecorder::saveCheckpoint(const std::string &folder) {
  contents->checkpointWritten.fetch_add(1, std::memory_order_acq_rel);
  copyText(contents->checkpoint, sizeof(contents->checkpoint), folder);
  contents->checkpointWritten.fetch_add(1, std::memory_order_release);
}

void FlightRecorder::saveEnd() { contents->state.store(Ended, std::memory_order_release); }

int64_t FlightRecorder::pid() const { return contents->pid; }

std::optional<int> FlightRecorder::exitCode() const {
  if (contents->state.load(std::memory_order_acquire) != Failed)
    return std::nullopt;
  return contents->exitCode.load(std::memory_order_relaxed);
}

std::string FlightRecorder::error() const {
  return std::string(contents->error, ::strnlen(contents->error, sizeof(contents->error)));
}

bool FlightRecorder::ended() const { return contents->state.load(std::memory_order_acquire) == Ended; }

std::string FlightRecorder::checkpoint() const {
  if (contents->checkpointWritten.load(std::memory_order_acquire) % 2)
    return "";
  return std::string(contents->checkpoint, ::strnlen(contents->checkpoint, sizeof(contents->checkpoint)));
}

RankFlight &FlightRecorder::rank(size_t rank) { return contents->ranks[std::min(rank, mostRanks - 1)]; }

RankFlight::Position RankFlight::position() const {
  uint64_t now = state.load(std::memory_order_relaxed);
  Position position{now >> entryShift, std::nullopt, std::nullopt};
  if (uint64_t action = now >> actionShift & ((uint64_t(1) << (entryShift - actionShift)) - 1))
    position.action = action - 1;
  if (uint64_t call = now & ((uint64_t(1) << actionShift) - 1))
    position.call = call - 1;
  return position;
}

std::string describeCall(const RankInfo &plan, size_t rank, const CallInfo &call, int64_t microBatch,
                         const KernelInfo &kernel) {
  std::string ofMicroBatch = microBatch < 0 ? "" : ", micro-batch " + std::to_string(microBatch);
  return "rank " + std::to_string(rank) + ", stage '" + plan.stage + "'" + ofMicroBatch + ", kernel '" + kernel.name +
         "' of '" + call.path + "'";
}

// A killed process may have left anything in the recorder: check each number.
std::pair<std::vector<std::string>, std::string> describePosition(const Manifest &manifest, size_t rank,
                                                                  const RankFlight::Position &position) {
  std::string text = "rank " + std::to_string(rank);
  if (position.entry >= manifest.entries.size() || rank >= manifest.entries[position.entry].ranks.size())
    return {{}, text};
  const EntryPlan &entry = manifest.entries[position.entry];
  const RankInfo &plan = entry.ranks[rank];
  text += ", stage '" + plan.stage + "', ";
  if (!position.action || *position.action >= plan.actions.size())
    return {{}, text + "between two runs"};
  const ActionInfo &action = plan.actions[*position.action];
  if (action.op == ActionInfo::Op::Run) {
    const TaskInfo &task = plan.tasks[static_cast<size_t>(action.target)];
    if (!position.call || *position.call >= task.calls.size())
      return {{}, text + "before task '" + task.name + "'"};
    const CallInfo &call = task.calls[*position.call];
    const KernelInfo &kernel = manifest.kernels[static_cast<size_t>(entry.kernelOf(call, action.microBatch))];
    return {kernel.where, describeCall(plan, rank, call, action.microBatch, kernel)};
  }
  if (!action.isMessage())
    return {{}, text + "at the step"};
  const ChannelInfo &channel = entry.channels[static_cast<size_t>(action.target)];
  std::string ofMicroBatch = channel.perStep ? "" : ", micro-batch " + std::to_string(action.microBatch);
  return {{}, text + (action.isSend() ? "sends '" : "waits for '") + channel.name + "'" + ofMicroBatch};
}

} // namespace plc::runtime
