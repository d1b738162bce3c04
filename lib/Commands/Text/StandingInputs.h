// Inputs of `generate` beside the text, which stay as they are while it grows.
#ifndef PLC_LIB_COMMANDS_STANDINGINPUTS_H
#define PLC_LIB_COMMANDS_STANDINGINPUTS_H

#include "Options.h"

namespace plc::runtime {

/// The inputs of one entry that `--input` gives. An input with a batch has a row for each text, or one for all.
class StandingInputs {
public:
  /// Reads and checks them. Throws usageError or fileError.
  StandingInputs(const Options &options, const EntryInfo &entry);

  /// The largest number of rows of an input; 0 if there is none with a batch.
  int64_t numRows() const { return rows; }
  /// Throws unless each input has so many rows, or one.
  void checkRows(int64_t texts) const;
  bool has(const std::string &name) const { return find(name) != nullptr; }
  /// A whole input for texts from `firstText` on. A row of the batch without a text has that of the last text.
  Bytes batchOf(const TensorInfo &input, int64_t firstText) const;

private:
  struct Given {
    std::string from; // for messages
    Tensor tensor;

    int64_t count() const {
      return tensor.info.batched() ? tensor.info.shape[static_cast<size_t>(tensor.info.batchAxis)] : 1;
    }
  };
  const Given *find(const std::string &name) const;

  std::vector<Given> given;
  int64_t rows = 0;
};

} // namespace plc::runtime

#endif
