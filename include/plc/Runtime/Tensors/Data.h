// Training and held-out batches from files.
#ifndef PLC_RUNTIME_TENSORS_DATA_H
#define PLC_RUNTIME_TENSORS_DATA_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Support/Choice.h"

#include <memory>

namespace plc::runtime {

/// `--data IN=FILE[+n]`.
struct DataOption {
  std::string input, file; // or a pattern of file names
  int64_t shift = 0;

  /// The files that match, by name. Throws fileError if none does.
  std::vector<std::string> files() const;
  /// The same without what follows a `:`, a key or a type.
  std::vector<std::string> names() const;
};

/// `--windows`: where training windows begin.
enum class WindowOrder { Random, Epochs };

/// How much data there is, held-out parts included: 0 where none is read so.
struct DataLengths {
  int64_t rows = 0, elements = 0; // of files in rows; of files in windows, the shortest one's

  bool operator==(const DataLengths &) const = default;
};

/// Of so many rows or elements, how many are not held out: the first ones.
int64_t numTrainedOn(int64_t count, double holdout);

/// Batches for the inputs of one entry, in the entry's order. A batch is a function of seed and step alone, one that is held
/// out of its index and, in what is drawn for it, the seed.
class Data {
public:
  virtual ~Data() = default;

  /// For a run that goes on with batches of another size: step `step` begins so many samples further on than behind step - 1 of its
  /// own batches.
  virtual void shiftSamples(int64_t by) { shift = by; }
  virtual DataLengths lengths() const { return {}; }

  virtual std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const = 0;
  /// Where a sample of that batch stands, for one of the inputs: "row 37 of 'x.npy'"; "" if it is all that there is.
  virtual std::string tellTrainSample(uint64_t, int64_t, size_t, int64_t) const { return ""; }

  /// Whole batches of the held-out part, in the order of the file; samples that do not fill a batch are left out.
  virtual int64_t numHeldOutBatches() const = 0;
  virtual std::vector<Bytes> heldOutBatch(uint64_t seed, int64_t index) const = 0;

  /// Throws if there is nothing to train on, or no held-out batch.
  virtual void checkTraining() const = 0;
  virtual void checkHeldOut() const = 0;

protected:
  int64_t shift = 0;
};

/// For each input rows of a .npy or .safetensors:KEY file (TensorRows), windows of any other, of a .bin:TYPE, and of a .npy
/// of one axis for an input of more (Windows), or, if it has no batch, one tensor for all (WholeTensors); the last `holdout` part of rows and windows is held out. Throws usageError or
/// fileError unless every input has data that fits it.
std::unique_ptr<Data> openData(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout,
                               WindowOrder order = WindowOrder::Random);

/// Whether the name is that of a .npy or .safetensors file, with or without a key.
bool isTensorFile(const std::string &file);

/// The option of an input.
const DataOption &findOption(const TensorInfo &input, const std::vector<DataOption> &options);

} // namespace plc::runtime

template <>
struct plc::Choice<plc::runtime::WindowOrder> {
  static constexpr const char *noun = "order";
  static std::span<const NamedRow> rows();
  static std::span<const char *const> planned() { return {}; }
};

#endif
