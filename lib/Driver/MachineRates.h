//===- MachineRates.h - this machine's rates, measured once -----*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_MACHINERATES_H
#define PLC_LIB_DRIVER_MACHINERATES_H

#include "plc/Support/InstructionSets.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace plc::driver {

/// Passes this machine's rates for an instruction set to `take`, as TOML. They come from the user's cache folder, which
/// has a file for each model of CPU, or are measured and kept there. `take` returns whether a text gives every rate; a
/// file that does not is replaced. Prints to stderr what takes time and what went wrong. If nothing can be measured,
/// `take` is not called.
void machineRates(InstructionSet isa, llvm::function_ref<bool(llvm::StringRef text)> take);

/// Measures rates as `calibrate` of Compile.h does, and returns them as text in `rates`. Returns the exit code.
int measureRates(llvm::ArrayRef<std::string> sets, std::string &rates);

} // namespace plc::driver

#endif
