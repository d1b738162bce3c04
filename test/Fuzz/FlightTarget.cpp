//===- FlightTarget.cpp - any bytes in a lost process's flight recorder ---===//
//
// What must hold of any bytes: the file is none, or the launcher tells from it what was done, within the limits of its
// fields, whatever the module holds. Bytes are pieces, each with the place in the file where it is written: two bytes of
// place, in units of 8 beyond the first 6,000, and one of length. A file ends behind a piece that has none.
//
//===----------------------------------------------------------------------===//
#include "FlightRecorder.h"
#include "Fuzz.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace plc::runtime;
namespace fs = std::filesystem;

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

/// A folder with the file of a process that has told something, which each input changes.
class Folder {
public:
  Folder() {
    // In memory, where there is such a place: files on a disk take most of a run's time.
    fs::path parent = fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string name = parent / "plc-fuzz-flight-XXXXXX";
    path = ::mkdtemp(name.data());
    FlightRecorder::open(path, 1);
    FlightRecorder *flight = FlightRecorder::here();
    flight->saveError(4, "it fails");
    flight->saveCheckpoint("run/step-4");
    flight->rank(1).startAction(2);
    flight->rank(1).startCall(0);
    std::ifstream stream(path + "/1", std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(stream), {});
  }
  ~Folder() { fs::remove_all(path); }

  std::string bytesOf(const uint8_t *data, size_t size) const {
    std::string bytes = whole;
    while (size >= 3) {
      size_t at = size_t(data[0]) << 8 | data[1], length = std::min<size_t>(data[2], size - 3);
      at = at < 6000 ? at : 6000 + (at - 6000) * 8;
      if (at >= bytes.size())
        at %= bytes.size();
      if (data[2] == 0)
        return bytes.substr(0, at);
      std::memcpy(bytes.data() + at, data + 3, std::min(length, bytes.size() - at));
      data += 3 + length;
      size -= 3 + length;
    }
    return bytes;
  }

  std::unique_ptr<FlightRecorder> take(const std::string &bytes) const {
    std::ofstream(path + "/0", std::ios::binary) << bytes;
    return FlightRecorder::take(path, 0);
  }

  std::string path, whole;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  static const Manifest manifest = manifestOfTwo();
  std::string bytes = folder.bytesOf(data, size);
  auto flight = folder.take(bytes);
  require(flight || bytes.size() != folder.whole.size() || std::memcmp(bytes.data(), folder.whole.data(), 8) != 0,
          "a whole file that is none");
  if (!flight)
    return 0;
  require(bytes.size() == folder.whole.size(), "a part of a file that is taken");
  require(flight->error().size() <= 4096 && flight->checkpoint().size() <= 1024, "a text beyond its field");
  require(!flight->exitCode() || !flight->ended(), "a process that failed and ended");
  if (bytes == folder.whole)
    require(flight->error() == "it fails" && flight->checkpoint() == "run/step-4" && flight->exitCode() == 4,
            "what was told is lost");
  for (size_t rank : {0, 1, 2, 1023, 5000})
    for (const RankFlight::Place &place : {flight->rank(rank).place(), flight->rank(1).place()}) {
      std::string told = tellPlace(manifest, rank, place).second;
      require(told.starts_with("rank " + std::to_string(rank)) && told.size() < 200, "a place that is not told");
    }
  return 0;
}
