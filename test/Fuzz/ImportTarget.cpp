//===- ImportTarget.cpp - a wrong model, imported as rules ----------------===//
//
// An input is an archive of PyTorch or a text of StableHLO. What must hold of any that a reader takes: it becomes rules,
// or is refused with an error. The mutator changes the graph of an archive and not its bytes: numbers, types, operands
// and operators, so that most of what it makes is read, and reaches what stands behind the reader.
//
//===----------------------------------------------------------------------===//
#include "Fuzz.h"
#include "ImportMutator.h"
#include "plc/Import/ImportModel.h"
#include "plc/Import/ReadPt2.h"
#include "plc/Import/ReadStableHlo.h"

#include <algorithm>
#include <cstring>

using namespace plc::import;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  std::string error;
  std::optional<ImportedModel> model = bytes.starts_with("PK")
                                           ? readPt2(llvm::MemoryBuffer::getMemBufferCopy(bytes), error)
                                           : readStableHlo(bytes, "", error);
  if (!model) {
    require(!error.empty(), "refused without a text");
    return 0;
  }
  try {
    require(!importModel(*model, {.name = "m"}).text.empty(), "rules without a text");
  } catch (const std::runtime_error &refused) { // of the import, or of damaged weights that it reads
    require(*refused.what(), "refused without a text");
  }
  return 0;
}

/// Of libFuzzer: any change of bytes. The replay has none.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/// Copies an input to where it is read, if it is small enough.
static size_t give(const std::string &made, uint8_t *data, size_t most) {
  if (made.size() > most)
    return 0;
  std::memcpy(data, made.data(), made.size());
  return made.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  Random random(seed);
  std::string made = bytes.starts_with("PK") ? mutatedArchive(bytes, "", random) : mutatedText(bytes, random);
  if (size_t length = made.empty() ? 0 : give(made, data, most))
    return length;
  return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t otherSize,
                                            uint8_t *out, size_t most, unsigned seed) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size),
      from(reinterpret_cast<const char *>(other), otherSize);
  Random random(seed);
  return bytes.starts_with("PK") && from.starts_with("PK") ? give(mutatedArchive(bytes, from, random), out, most) : 0;
}
