//===- FlightTarget.cpp - any bytes in a lost process's flight recorder ---===//
//
// What must hold of any bytes: the file is none, or the launcher tells from it what was done, within the limits of its
// fields, whatever the module holds. Bytes are pieces, each with the place in the file where it is written: two bytes
// of place, in units of 8 beyond the first 6,000, and one of length. A file ends behind a piece that has none.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "MemoryFile.h"
#include "plc/Runtime/Base/FlightRecorder.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

using namespace plc::runtime;

namespace {

/// Two ranks that run a task, exchange a message and step; the second one knows of a task without calls, too.
Manifest manifestOfTwo() {
  Manifest manifest{};
  KernelInfo kernel{};
  kernel.name = "k";
  kernel.where = {"model.ein:3:5"};
  manifest.kernels = {kernel};
  EntryPlan entry{};
  entry.name = "train";
  entry.batch = 4;
  entry.microBatches = 2;
  entry.kernels = entry.shortKernels = {0};
  entry.channels = {{"c0", 0, 1, 64, 64, 1, 0, false}, {"c1", 1, 0, 64, 64, 1, 1, true}};
  using Op = ActionInfo::Op;
  for (const char *stage : {"s0", "s1"}) {
    RankInfo rank{stage, 128, {}, {{"F", 0, {}, {{0, {}, "layer"}}}}, {}};
    if (!entry.ranks.empty())
      rank.tasks.push_back({"B", 0, {}, {}});
    auto add = [&](Op op, int64_t target, int64_t microBatch) {
      rank.actions.push_back({op, target, microBatch, 0, 0, {}});
    };
    for (int64_t microBatch : {0, 1})
      add(Op::Run, std::ssize(rank.tasks) - 1, microBatch);
    add(Op::Run, 0, 0);
    add(Op::PostRecv, 0, 1);
    add(Op::Send, 0, 0);
    add(Op::WaitSend, 1, -1);
    add(Op::WaitRecv, 1, -1);
    add(Op::Drop, -1, 0);
    add(Op::Step, -1, -1);
    entry.ranks.push_back(rank);
  }
  manifest.entries = {entry, entry};
  manifest.entries[1].name = "eval";
  manifest.entries[1].batch = 3; // the second micro-batch is short
  return manifest;
}

/// The file of a process that has told something. An input changes it in few places, and these alone are written, and
/// written back before the next one: all 70 kB take longer than to read them.
class Recording {
public:
  Recording() : file(folder.path + "/kept") {
    FlightRecorder::open(folder.path, 1);
    FlightRecorder *flight = FlightRecorder::here();
    flight->saveError(4, "it fails");
    flight->saveCheckpoint("run/step-4");
    flight->rank(1).startAction(2);
    flight->rank(1).startCall(0);
    std::ifstream stream(folder.path + "/1", std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(stream), {});
  }

  void change(std::string_view input) {
    restore();
    while (input.size() >= 3) {
      auto byte = [&](size_t at) { return size_t(static_cast<unsigned char>(input[at])); };
      size_t at = byte(0) << 8 | byte(1), length = byte(2);
      at = at < 6000 ? at : 6000 + (at - 6000) * 8;
      at %= whole.size();
      if (length == 0)
        return file.resize(size = at);
      std::string_view piece = input.substr(3, std::min(length, whole.size() - at));
      file.write(at, piece);
      changes.push_back({at, std::string(piece)});
      input.remove_prefix(3 + std::min(length, input.size() - 3));
    }
  }

  /// What the launcher takes it removes, so it takes another name of the file.
  std::unique_ptr<FlightRecorder> take() const {
    std::string name = folder.path + "/0";
    require(::link(file.path.c_str(), name.c_str()) == 0 || errno == EEXIST, "the file gets no second name");
    return FlightRecorder::take(folder.path, 0);
  }

  bool isWhole() const { return size == whole.size(); }
  /// Whether the first bytes are those of a file that is not changed.
  bool isUnchanged(size_t bytes) const {
    std::string begin = whole.substr(0, bytes);
    for (const Change &change : changes)
      if (change.at < bytes)
        begin.replace(change.at, change.bytes.size(), change.bytes);
    return isWhole() && std::string_view(begin).starts_with(std::string_view(whole).substr(0, bytes));
  }

private:
  void restore() {
    if (!isWhole())
      file.hold(whole);
    else
      for (const Change &change : changes)
        file.write(change.at, std::string_view(whole).substr(change.at, change.bytes.size()));
    changes.clear();
    size = whole.size();
  }

  struct Change {
    size_t at;
    std::string bytes;
  };
  const MemoryFolder folder;
  const MemoryFile file;
  std::string whole;
  std::vector<Change> changes;
  size_t size = 0; // nothing is written yet
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Recording recording;
  static const Manifest manifest = manifestOfTwo();
  recording.change({reinterpret_cast<const char *>(data), size});
  auto flight = recording.take();
  require(flight || !recording.isUnchanged(8), "a whole file that is none");
  if (!flight)
    return 0;
  require(recording.isWhole(), "a part of a file that is taken");
  require(flight->error().size() <= 4096 && flight->checkpoint().size() <= 1024, "a text beyond its field");
  require(!flight->exitCode() || !flight->ended(), "a process that failed and ended");
  if (recording.isUnchanged(6000))
    require(flight->error() == "it fails" && flight->checkpoint() == "run/step-4" && flight->exitCode() == 4,
            "what was told is lost");
  for (size_t rank : {0, 1, 2, 1023, 5000})
    for (const RankFlight::Position &position : {flight->rank(rank).position(), flight->rank(1).position()}) {
      std::string told = describePosition(manifest, rank, position).second;
      require(told.starts_with("rank " + std::to_string(rank)) && told.size() < 200, "a place that is not told");
    }
  return 0;
}
