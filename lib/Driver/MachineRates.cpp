//===- MachineRates.cpp - this machine's rates, measured once ---------------===//
#include "MachineRates.h"

#include "plc/Driver/Compile.h"
#include "plc/Support/CacheFolder.h"
#include "plc/Support/Rates.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace plc;
using llvm::StringRef;

namespace {

// What /proc/cpuinfo calls the CPU; clouds may call different ones the same, so what it can do counts, too.
std::string cpuModel() {
  auto info = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  std::string model;
  for (StringRef rest = info ? (*info)->getBuffer() : StringRef(); !rest.empty();) {
    auto [line, others] = rest.split('\n');
    rest = others;
    if (line.empty() && !model.empty())
      break; // the first CPU alone
    for (StringRef key : {"vendor_id", "cpu family", "model", "stepping", "cache size", "flags"})
      if (line.starts_with(key))
        model += line.str() + "\n";
  }
  return model;
}

// Of a CPU, an instruction set and the rates that there are: a new rate is measured anew.
std::string fileName(InstructionSet isa) {
  std::string key = cpuModel() + nameOfChoice(isa);
  for (const RateRow &row : Choice<Rate>::rows())
    key += "\n" + std::string(row.name);
  return "rates-" + llvm::utohexstr(llvm::xxh3_64bits(key), /*LowerCase=*/true) + ".toml";
}

} // namespace

std::string driver::machineRates(InstructionSet isa) {
  std::string folder = cacheFolder(), file = folder + "/" + fileName(isa);
  if (llvm::sys::fs::exists(file))
    return file;
  llvm::errs() << "plc-compile: measuring what this machine takes, once, for plans (about 2 s); '--rates shipped' goes "
                  "without\n";
  std::error_code error = llvm::sys::fs::create_directories(folder);
  if (error)
    llvm::errs() << "plc-compile: cannot make '" << folder << "': " << error.message() << "\n";
  if (!error && calibrate({std::string("machine.isa=") + nameOfChoice(isa)}, file) == 0)
    return file;
  llvm::errs() << "plc-compile: planning with shipped rates\n";
  return "";
}
