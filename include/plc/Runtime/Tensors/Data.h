// Training and held-out batches from files.
#ifndef PLC_RUNTIME_TENSORS_DATA_H
#define PLC_RUNTIME_TENSORS_DATA_H

#include "plc/Runtime/Base/Engine.h"
#include "plc/Support/Choice.h"

#include <memory>

namespace plc::runtime {

/// One of several files that are blended.
struct WeightedFile {
  std::string file; // may be a pattern
  double weight;    // finite and above 0
};

/// The option `--data IN=FILE[+n]`, or `--eval-data`.
struct DataOption {
  std::string input, file;           // `file` may be a pattern; of a blend, all of its text
  int64_t shift = 0;                 // in elements; for windows
  const char *flag = "--data";       // for messages
  std::vector<WeightedFile> blend{}; // `IN=FILE:WEIGHT,FILE:WEIGHT[+n]`; else empty

  /// The files that match, sorted by name. Throws fileError if there is none. Not for a blend.
  std::vector<std::string> files() const;
  /// The same without a key or type after a `:`; of a blend, those of all its files.
  std::vector<std::string> names() const;
  /// The option for one file of a blend.
  DataOption ofBlend(size_t index) const { return {input, blend[index].file, shift, flag, {}}; }
};

/// What an input of packed rows is filled with (PackedRows.h).
enum class PackKind { Segments, Positions, Mask };

/// The option `--pack INPUT=KIND`.
struct PackOption {
  std::string input;
  PackKind kind;
};

/// The order of training windows, `--windows`.
enum class WindowOrder { Random, Epochs };

/// The amount of data, held-out data included. A checkpoint keeps it, to find that files have changed.
struct DataLengths {
  int64_t rows = 0, elements = 0; // 0: none is read so; elements of the shortest file in windows

  bool operator==(const DataLengths &) const = default;
};

/// How many of so many rows or elements are trained on: the first ones. `holdout` is the fraction of the others.
int64_t numTrainedOn(int64_t count, double holdout);

/// Batches for the inputs of one entry, in the entry's order. A training batch is a function of seed and step alone; a
/// held-out batch of its index and, for keys of draws, the seed. So a resumed run continues with the same batches, and
/// all processes have the same.
class Data {
public:
  explicit Data(int64_t batch) : batch(batch) {}
  virtual ~Data() = default;

  /// For a run that continues with another batch size: adds `by` to the number of the first sample of each step.
  virtual void shiftSamples(int64_t by) { shift = by; }
  virtual DataLengths lengths() const { return {}; }
  /// The weights of a blend: "0.7, 0.3". Empty if there is none.
  virtual std::string weights() const { return ""; }

  /// Whole-batch tensors; `step` counts from 1.
  virtual std::vector<Bytes> trainBatch(uint64_t seed, int64_t step) const = 0;
  /// Where a sample of a training batch comes from, for one input: "row 37 of 'x.npy'". Empty if all samples share the
  /// tensor.
  virtual std::string describeTrainSample(uint64_t, int64_t, size_t, int64_t) const { return ""; }

  /// Held-out samples; anySamples if all batches share one tensor.
  virtual int64_t numHeldOut() const = 0;
  static constexpr int64_t anySamples = INT64_MAX;
  /// Whole batches of them, in the order of the file. Samples that do not fill a batch are left out.
  int64_t numHeldOutBatches() const { return numHeldOut() / batch; }
  virtual std::vector<Bytes> heldOutBatch(uint64_t seed, int64_t index) const = 0;

  /// Throw Error if there is no training data, or not one held-out batch.
  virtual void checkTraining() const = 0;
  virtual void checkHeldOut() const = 0;

protected:
  int64_t batch;     // samples of a batch
  int64_t shift = 0; // of shiftSamples
};

/// Opens the data of an entry. Each input gets one of these:
/// - rows (TensorRows) of a .npy or .safetensors:KEY file;
/// - windows (Windows) of any other file, of a .bin:TYPE, and of a .npy of one axis if the input has more;
/// - one tensor for all samples (WholeTensors), if the input has no batch;
/// - keys (RandomKeys), if it is an input for draws;
/// - with `packs`, instead of rows or windows, rows of different lengths (PackedRows).
/// Rows and windows of several files may be blended (BlendedData). The last fraction `holdout` of rows and windows is
/// held out. Throws usageError or fileError unless every input has data that fits.
std::unique_ptr<Data> openData(const EntryInfo &entry, const std::vector<DataOption> &options, double holdout,
                               WindowOrder order = WindowOrder::Random, const std::vector<PackOption> &packs = {});

/// Opens the data of `--eval-data`, all of which is evaluated. An input without a batch that has none takes that of
/// `--data`.
std::unique_ptr<Data> openEvalData(const EntryInfo &entry, const std::vector<DataOption> &evalOptions,
                                   const std::vector<DataOption> &options, const std::vector<PackOption> &packs);

/// Whether the name is that of a .npy or .safetensors file, with or without a key.
bool isTensorFile(const std::string &file);

/// The option of an input; throws usageError if there is none.
const DataOption &findOption(const TensorInfo &input, const std::vector<DataOption> &options);

} // namespace plc::runtime

template <>
struct plc::Choice<plc::runtime::WindowOrder> {
  static constexpr const char *noun = "order";
  static std::span<const NamedRow> rows();
};

template <>
struct plc::Choice<plc::runtime::PackKind> {
  static constexpr const char *noun = "kind";
  static std::span<const NamedRow> rows();
};

#endif
