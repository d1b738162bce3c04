// Rows of different lengths in files.
#ifndef PLC_LIB_RUNTIME_TENSORS_RAGGEDROWS_H
#define PLC_LIB_RUNTIME_TENSORS_RAGGEDROWS_H

#include "ElementSequence.h"
#include "plc/Runtime/Tensors/Data.h"
#include "plc/Runtime/Tensors/TensorFile.h"

namespace plc::runtime {

/// The rows of one input: lists of elements. Files are
/// - F.jsonl or F.jsonl:KEY: a list of numbers in each line, or an object that has it as KEY; read into memory;
/// - F.npy of one axis, or F.bin:TYPE, beside F.offsets.npy: n + 1 integers for n rows, where each row begins, and the
///   number of elements.
class RaggedRows {
public:
  /// The rows of all files of the option. Throws usageError or fileError.
  RaggedRows(const DataOption &option, const TensorInfo &input);

  int64_t count() const { return static_cast<int64_t>(begins.size()) - 1; }
  int64_t length(int64_t row) const { return begins[static_cast<size_t>(row) + 1] - begins[static_cast<size_t>(row)]; }
  /// Copies elements `first` to `first + count - 1` of a row.
  void read(int64_t row, int64_t first, int64_t count, std::byte *elements) const {
    sequence->read(begins[static_cast<size_t>(row)] + first, count, elements);
  }
  const std::string &fileName() const { return files.front().name; }
  /// `F.jsonl:37`, or `row 36 of 'F.npy'`.
  std::string describe(int64_t row) const;

private:
  struct File {
    std::string name;
    bool isLines;
    int64_t firstRow;
  };
  StoredElements openLines(const std::string &file, const TensorInfo &input);
  StoredElements openWithOffsets(const std::string &file);

  std::vector<File> files;
  std::vector<int64_t> begins{0}; // of each row in the sequence, and the end of the last one
  std::optional<ElementSequence> sequence;
};

} // namespace plc::runtime

#endif
