//===- ObjectCache.cpp - a cache of compiled kernels ----------------------===//
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
// A file is a seal of 32 bytes (SHA-256) and the object.
constexpr size_t sealBytes = 32;

/// A stream that hashes its text with SHA-256.
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

/// Adds a file that this process has loaded, by size and time: a rebuilt compiler, or another LLVM, may compile the
/// same kernels to other objects.
int addLoaded(dl_phdr_info *loaded, size_t, void *data) {
  auto &stream = *static_cast<HashStream *>(data);
  StringRef name = loaded->dlpi_name;
  stream << name << '\0';
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(name.empty() ? "/proc/self/exe" : name, status)) // the kernel's own is no file
    stream << status.getSize() << ' ' << status.getLastModificationTime().time_since_epoch().count() << '\0';
  return 0;
}

// The key: compiler, features of the target, and the text of the kernels.
std::string keyOf(ModuleOp written, llvm::ArrayRef<std::string> features) {
  HashStream stream;
  // All loaded libraries, since LLVM may be one of them.
  dl_iterate_phdr(addLoaded, &stream);
  stream << llvm::join(features, ",") << '\0';
  // The whole text, independent of MLIR's printing options. Locations are left out: no object contains them.
  OpPrintingFlags whole;
  whole.assumeVerified().enableDebugInfo(false).skipRegions(false).elideLargeElementsAttrs(INT64_MAX);
  written.print(stream, whole.elideLargeResourceString(INT64_MAX));
  return stream.result();
}

/// The seal that a file begins with. It covers the key, so that a file under another name is no hit.
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
  // `pruneCache` only deletes files with this prefix.
  file = (folder + "/llvmcache-" + llvm::toHex(key, /*LowerCase=*/true)).str();
}

std::optional<SmallVector<char>> ObjectCache::find() const {
  if (file.empty())
    return std::nullopt;
  // The access time is set explicitly, since file systems may not: pruning deletes the least recently used first.
  auto descriptor = llvm::sys::fs::openNativeFileForRead(file, llvm::sys::fs::OF_UpdateAtime);
  if (!descriptor)
    return llvm::consumeError(descriptor.takeError()), std::nullopt;
  auto buffer = llvm::MemoryBuffer::getOpenFile(*descriptor, file, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
                                                /*IsVolatile=*/true); // read whole, for another process may cut it
  llvm::sys::fs::closeFile(*descriptor);
  // A cache never fails a compilation: what cannot be read is compiled.
  if (!buffer)
    return std::nullopt;
  StringRef bytes = (*buffer)->getBuffer(), seal = bytes.take_front(sealBytes), object = bytes.drop_front(seal.size());
  if (seal != sealOf(key, object))
    return std::nullopt;
  return SmallVector<char>(object.begin(), object.end());
}

// Pruning keeps LLVM's default age limit of a week.
void ObjectCache::keep(StringRef object) const {
  if (file.empty() || llvm::sys::fs::create_directories(folder) || writeWhole(sealOf(key, object) + object.str(), file))
    return;
  llvm::CachePruningPolicy policy;
  policy.MaxSizeBytes = mostBytes;
  llvm::pruneCache(folder, policy);
}
