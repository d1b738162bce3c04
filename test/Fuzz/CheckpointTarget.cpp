//===- CheckpointTarget.cpp - any bytes as a file of a checkpoint ---------===//
//
// What must hold of any bytes: training does not resume, or each parameter and each moment has all of its bytes,
// written once. The first byte says which of a checkpoint's two files the others are; its other file is whole.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "MemoryFile.h"
#include "plc/Runtime/Tensors/Checkpoint.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

using namespace plc::runtime;
using plc::ElementType;
namespace fs = std::filesystem;

namespace {

/// Two parameters with moments between which one is frozen, and nothing to run.
class Store final : public Engine {
public:
  std::string modelName() const override { return "store"; }
  ElementType realType() const override { return ElementType::F32; }
  std::string numericsKey() const override { return "0123"; }
  std::string planJson() const override { return "{}"; }
  const std::vector<EntryInfo> &entries() const override { return none; }
  const std::vector<ParameterInfo> &parameters() const override { return all; }
  const OptimizerSettings &optimizer() const override { return settings; }
  StepResult trainStep(int64_t, const std::vector<Bytes> &) override { std::abort(); }
  std::optional<Error> findNonFinite(const std::vector<Bytes> &) override { std::abort(); }
  std::vector<Bytes> run(const EntryInfo &, const std::vector<Bytes> &) override { std::abort(); }

  void readParameter(size_t index, void *out) override { read(index, 0, out); }
  void writeParameter(size_t index, const void *data) override { write(index, 0, data); }
  void readMoment(size_t index, int which, void *out) override { read(index, which, out); }
  void writeMoment(size_t index, int which, const void *data) override { write(index, which, data); }
  void clearMoments(size_t) override {}

  std::map<std::pair<size_t, int>, Bytes> written;

private:
  void changeOptimizer(const OptimizerSettings &changed) override { settings = changed; }
  void read(size_t index, int which, void *out) {
    std::memset(out, int(index) * 3 + which, all[index].tensor().numBytes());
  }
  void write(size_t index, int which, const void *data) {
    auto *bytes = static_cast<const std::byte *>(data);
    require(written.try_emplace({index, which}, bytes, bytes + all[index].tensor().numBytes()).second, "written twice");
  }

  std::vector<EntryInfo> none;
  std::vector<ParameterInfo> all{{"w", ElementType::F32, {2, 3}, {}, false},
                                 {"c", ElementType::F32, {}, {}, true},
                                 {"v", ElementType::F32, {2}, {}, false}};
  OptimizerSettings settings = [] {
    OptimizerSettings made;
    made.forms = {{made.kind, "w", "g", 0, true, {{"m"}, {"v"}}}};
    return made;
  }();
};

/// A folder with a checkpoint, of whose files each input changes one.
class Checkpoint {
public:
  Checkpoint() {
    Store saved, resumed;
    fs::path step = saveCheckpoint(folder.path, {3, 7}, saved).folder;
    for (const char *name : {"state.safetensors", "params.safetensors"}) {
      std::ifstream stream(step / name, std::ios::binary);
      whole.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
      files.emplace_back(step / name);
    }
    TrainingState training = resumeCheckpoint(folder.path, resumed);
    require(training.step == 3 && training.seed == 7 && resumed.written.size() == 7, "what was saved is lost");
    for (const auto &[location, bytes] : resumed.written)
      require(bytes.front() == std::byte(location.first * 3 + location.second), "another value than was saved");
  }

  /// The other file is written only where the input before this one has changed it.
  void hold(size_t which, std::string_view bytes) {
    if (which != changed)
      files[changed].hold(whole[changed]);
    files[which].hold(bytes);
    changed = which;
  }

  const MemoryFolder folder;

private:
  std::vector<MemoryFile> files;
  std::vector<std::string> whole;
  size_t changed = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Checkpoint checkpoint;
  if (size == 0)
    return 0;
  checkpoint.hold(data[0] % 2, {reinterpret_cast<const char *>(data) + 1, size - 1});
  Store engine;
  try {
    TrainingState training = resumeCheckpoint(checkpoint.folder.path, engine);
    require(engine.written.size() == 7, "a parameter or a moment that was not there");
    require(data[0] % 2 == 0 || (training.step == 3 && training.seed == 7), "another step than the state's");
  } catch (const Error &) {
  }
  return 0;
}
