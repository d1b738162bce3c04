//===- MachineRates.cpp - this machine's rates, measured once -------------===//
#include "MachineRates.h"

#include "plc/Support/CacheFolder.h"
#include "plc/Support/Rates.h"
#include "plc/Support/WholeFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace plc;
using llvm::StringRef;

namespace {

// The CPU as /proc/cpuinfo describes it. Clouds give different CPUs one name, so its features count, too.
std::string cpuModel() {
  auto info = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  std::string model;
  for (StringRef rest = info ? (*info)->getBuffer() : StringRef(); !rest.empty();) {
    auto [line, others] = rest.split('\n');
    rest = others;
    if (line.empty() && !model.empty())
      break; // all CPUs are taken to be like the first
    for (StringRef key : {"vendor_id", "cpu family", "model", "stepping", "cache size", "flags"})
      if (line.starts_with(key))
        model += line.str() + "\n";
  }
  return model;
}

// The file's name has a hash of the CPU, the instruction set and the names of rates: a new rate is measured.
std::string fileName(InstructionSet isa) {
  std::string key = cpuModel() + nameOfChoice(isa);
  for (const RateRow &row : Choice<Rate>::rows())
    key += "\n" + std::string(row.name);
  return "rates-" + llvm::utohexstr(llvm::xxh3_64bits(key), /*LowerCase=*/true) + ".toml";
}

// While it lives, no other compilation measures, since both would be disturbed. It locks the folder itself, so that no
// lock file stays behind, and that works where the folder cannot be written. Where locking fails, as on some network
// file systems, each compilation measures.
class OneMeasures {
public:
  explicit OneMeasures(const std::string &folder) : fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return;
    llvm::errs() << "plc-compile: another compilation measures what this machine takes; waiting for it\n";
    while (::flock(fd, LOCK_EX) != 0 && errno == EINTR)
      continue;
  }
  ~OneMeasures() {
    if (fd >= 0)
      ::close(fd);
  }
  OneMeasures(const OneMeasures &) = delete;
  OneMeasures &operator=(const OneMeasures &) = delete;

private:
  int fd;
};

} // namespace

void driver::machineRates(InstructionSet isa, llvm::function_ref<bool(StringRef text)> take) {
  std::string folder = cacheFolder(), file = folder + "/" + fileName(isa);
  auto takesKept = [&] { // a final new line shows that the last number is complete
    auto kept = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
    return kept && (*kept)->getBuffer().ends_with("\n") && take((*kept)->getBuffer());
  };
  if (takesKept())
    return;
  std::error_code error = llvm::sys::fs::create_directories(folder);
  OneMeasures only(folder);
  if (takesKept())
    return; // the other compilation has measured
  if (llvm::sys::fs::exists(file))
    llvm::errs() << "plc-compile: remark: '" << file
                 << "' keeps this machine's rates but does not give each of them rightly; it is replaced\n";
  llvm::errs() << "plc-compile: measuring what this machine takes, once, for plans (about 5 s); '--rates shipped' goes "
                  "without\n";
  std::string rates;
  if (measureRates({std::string("machine.isa=") + nameOfChoice(isa)}, rates) || !take(rates)) {
    llvm::errs() << "plc-compile: planning with shipped rates\n";
    return;
  }
  if (!error)
    error = writeWhole(rates, file);
  if (error)
    llvm::errs() << "plc-compile: warning: cannot keep the measured rates in '" << file << "': " << error.message()
                 << "; the next compilation measures again, unless XDG_CACHE_HOME names a folder that can be written, "
                    "or '--rates shipped' is given\n";
}
