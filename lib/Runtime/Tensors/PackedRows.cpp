// Bins of rows, by best fit in the order of decreasing lengths.
#include "PackedRows.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Tensors/InitialValues.h"

#include <algorithm>
#include <set>

namespace plc::runtime {

PackedRows::PackedRows(const EntryInfo &entry, const std::vector<DataOption> &options,
                       const std::vector<PackOption> &packs, double holdout)
    : SampledData(entry), epochs(hashBytes("packed")) {
  for (const TensorInfo &input : entry.inputs) {
    if (input.batchAxis != 0 || input.shape.size() != 2 || (window && input.shape[1] != window))
      throw usageError("input '" + input.name + "' is " + input.typeText() + ", expected [" +
                       std::to_string(entry.batch) + ", " + (window ? std::to_string(window) : "S") +
                       "] for packed rows");
    window = input.shape[1];
    Source source;
    for (const PackOption &pack : packs)
      if (pack.input == input.name)
        source.pack = pack.kind;
    if (source.pack && *source.pack != PackKind::Mask && kindOf(input.type) != ElementKind::Integer)
      throw usageError("input '" + input.name + "' is " + input.typeText() + ", expected integers for its " +
                       nameOfChoice(*source.pack));
    if (!source.pack) {
      const DataOption &option = findOption(input, options);
      source.rows.emplace(option, input);
      source.shift = option.shift;
      if (reach == 0 && name.empty()) {
        first = sources.size();
        name = option.file;
        numRows = source.rows->count();
      }
      reach = std::max(reach, source.shift);
    }
    sources.push_back(std::move(source));
    if (sources.back().rows)
      checkLengths(sources.size() - 1);
  }
  int64_t border = numTrainedOn(numRows, holdout);
  train = pack(0, border);
  heldOut = pack(border, numRows);
}

/// Throws unless a source has the rows of the first one.
void PackedRows::checkLengths(size_t source) const {
  const RaggedRows &rows = *sources[source].rows, &expected = *sources[first].rows;
  if (rows.count() != numRows)
    throw fileError(rows.fileName(), "found " + std::to_string(rows.count()) + " rows, expected " +
                                         std::to_string(numRows) + " as in '" + name + "'");
  for (int64_t row = 0; row < numRows; ++row)
    if (rows.length(row) != expected.length(row))
      throw usageError(rows.describe(row) + " has " + std::to_string(rows.length(row)) + " elements, expected " +
                       std::to_string(expected.length(row)) + " as in " + expected.describe(row));
}

/// Each piece goes to the fullest window that holds it, the longest piece first (best fit decreasing; Johnson,
/// Demers, Ullman, Garey, Graham, 1974: at most 11/9 of the fewest windows, and 4 more).
std::vector<PackedRows::Window> PackedRows::pack(int64_t firstRow, int64_t endRow) const {
  std::vector<Piece> pieces;
  for (int64_t row = firstRow; row < endRow; ++row)
    for (int64_t begin = 0, end = sources[first].rows->length(row) - reach; begin < end; begin += window)
      pieces.push_back({row, begin, std::min(window, end - begin)});
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.length > b.length; });
  std::vector<Window> windows;
  std::set<std::pair<int64_t, size_t>> open; // free positions of a window, and its index
  for (const Piece &piece : pieces) {
    auto found = open.lower_bound({piece.length, 0});
    std::pair<int64_t, size_t> into(window, windows.size());
    if (found != open.end())
      into = *found, open.erase(found);
    else
      windows.emplace_back();
    windows[into.second].push_back(piece);
    if (into.first > piece.length)
      open.insert({into.first - piece.length, into.second});
  }
  return windows;
}

void PackedRows::putWindow(const Window &packed, int64_t at, std::vector<Bytes> &tensors) const {
  for (size_t i = 0; i < sources.size(); ++i) {
    ElementType type = inputs[i].type;
    size_t width = byteWidth(type);
    std::byte *sample = tensors[i].data() + static_cast<size_t>(at * window) * width;
    fillElements(type, window, sample, 0);
    for (size_t segment = 0; segment < packed.size(); ++segment) {
      const Piece &piece = packed[segment];
      if (sources[i].rows)
        sources[i].rows->read(piece.row, piece.first + sources[i].shift, piece.length, sample);
      else if (sources[i].pack == PackKind::Positions)
        for (int64_t position = 0; position < piece.length; ++position)
          fillElements(type, 1, sample + static_cast<size_t>(position) * width, static_cast<double>(position));
      else
        fillElements(type, piece.length, sample,
                     sources[i].pack == PackKind::Mask ? 1 : static_cast<double>(segment + 1));
      sample += static_cast<size_t>(piece.length) * width;
    }
  }
}

const PackedRows::Window &PackedRows::trainWindow(uint64_t seed, int64_t number) const {
  auto count = static_cast<int64_t>(train.size());
  return train[static_cast<size_t>(epochs.at(number % count, count, seed, number / count))];
}

void PackedRows::putTrainSample(uint64_t seed, int64_t number, int64_t at, std::vector<Bytes> &tensors) const {
  putWindow(trainWindow(seed, number), at, tensors);
}

void PackedRows::putHeldOutSample(int64_t number, int64_t at, std::vector<Bytes> &tensors) const {
  putWindow(heldOut[static_cast<size_t>(number)], at, tensors);
}

std::string PackedRows::describeSample(uint64_t seed, int64_t number, size_t input) const {
  std::string text;
  if (sources[input].rows)
    for (const Piece &piece : trainWindow(seed, number))
      text += (text.empty() ? "" : ", ") + sources[input].rows->describe(piece.row);
  return text;
}

void PackedRows::checkTraining() const {
  if (train.empty())
    throw fileError(name,
                    "found no rows to train on, expected at least one of " + std::to_string(reach + 1) + " elements");
}

void PackedRows::checkHeldOut() const {
  if (numHeldOutBatches() < 1)
    throw noHeldOutBatch(name,
                         "found " + std::to_string(heldOut.size()) + " windows of held-out rows, expected at least " +
                             std::to_string(batch) + " for a batch",
                         train.empty());
}

} // namespace plc::runtime

using plc::runtime::PackKind;

std::span<const plc::NamedRow> plc::Choice<PackKind>::rows() {
  static constexpr NamedRow table[] = {{"segments"}, {"positions"}, {"mask"}};
  return table;
}
