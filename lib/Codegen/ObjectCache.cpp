//===- ObjectCache.cpp - objects of kernels that were compiled before -------===//
#include "plc/Codegen/ObjectCache.h"

#include "plc/Support/WholeFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

#include <link.h>

using namespace mlir;
using namespace plc::codegen;

namespace {

constexpr uint64_t mostBytes = 256 << 20;
constexpr size_t sealBytes = 32;

/// Hashes what it is given, as if all were one text.
class HashStream final : public llvm::raw_ostream {
public:
  HashStream() : raw_ostream(/*unbuffered=*/false) {}
  ~HashStream() override { flush(); }

  std::string result() {
    flush();
    std::array<uint8_t, sealBytes> hash = sha.final();
    return std::string(hash.begin(), hash.end());
  }

private:
  void write_impl(const char *bytes, size_t size) override {
    sha.update(StringRef(bytes, size));
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  llvm::SHA256 sha;
  uint64_t position = 0;
};

/// A loaded file of this process: a rebuilt compiler, or another LLVM, may make other objects of the same kernels.
int addLoaded(dl_phdr_info *loaded, size_t, void *data) {
  auto &stream = *static_cast<HashStream *>(data);
  StringRef name = loaded->dlpi_name;
  stream << name << '\0';
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(name.empty() ? "/proc/self/exe" : name, status)) // the kernel's own is no file
    stream << status.getSize() << ' ' << status.getLastModificationTime().time_since_epoch().count() << '\0';
  return 0;
}

std::string keyOf(ModuleOp written, llvm::ArrayRef<std::string> features) {
  HashStream stream;
  dl_iterate_phdr(addLoaded, &stream);
  stream << llvm::join(features, ",") << '\0';
  // The whole text, whatever MLIR's options leave out of printed IR, and no places, which no object holds.
  OpPrintingFlags whole;
  whole.assumeVerified().enableDebugInfo(false).skipRegions(false).elideLargeElementsAttrs(INT64_MAX);
  written.print(stream, whole.elideLargeResourceString(INT64_MAX));
  return stream.result();
}

/// What a file begins with. Of the key, too: a file under another name is no hit.
std::string sealOf(StringRef key, StringRef object) {
  HashStream stream;
  stream << key << object;
  return stream.result();
}

} // namespace

ObjectCache::ObjectCache(StringRef folder, ModuleOp written, ArrayRef<std::string> features) : folder(folder) {
  if (folder.empty())
    return;
  key = keyOf(written, features);
  // `pruneCache` deletes files of such names alone.
  file = (folder + "/llvmcache-" + llvm::toHex(key, /*LowerCase=*/true)).str();
}

std::optional<SmallVector<char>> ObjectCache::find() const {
  if (file.empty())
    return std::nullopt;
  // What was used last goes last, also where reading alone does not set the time.
  auto descriptor = llvm::sys::fs::openNativeFileForRead(file, llvm::sys::fs::OF_UpdateAtime);
  if (!descriptor)
    return llvm::consumeError(descriptor.takeError()), std::nullopt;
  auto buffer = llvm::MemoryBuffer::getOpenFile(*descriptor, file, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
                                                /*IsVolatile=*/true); // read whole, for another process may cut it
  llvm::sys::fs::closeFile(*descriptor);
  if (!buffer)
    return std::nullopt;
  StringRef bytes = (*buffer)->getBuffer(), seal = bytes.take_front(sealBytes), object = bytes.drop_front(seal.size());
  if (seal != sealOf(key, object))
    return std::nullopt;
  return SmallVector<char>(object.begin(), object.end());
}

void ObjectCache::keep(StringRef object) const {
  if (file.empty() || llvm::sys::fs::create_directories(folder) || writeWhole(sealOf(key, object) + object.str(), file))
    return;
  llvm::CachePruningPolicy policy;
  policy.MaxSizeBytes = mostBytes;
  llvm::pruneCache(folder, policy);
}
