//===- MachineRates.h - this machine's rates, measured once -----*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_MACHINERATES_H
#define PLC_LIB_DRIVER_MACHINERATES_H

#include "plc/Support/InstructionSets.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace plc::driver {

/// Gives `take` this machine's rates for an instruction set, as TOML: those in the user's cache folder, where each model of
/// CPU has a file, or else measured ones, which are kept there. `take` says whether a text gives every rate; a file that
/// does not is replaced. What takes time, and what is not as it should be, is told on stderr. Where nothing can be measured,
/// no text is taken.
void machineRates(InstructionSet isa, llvm::function_ref<bool(llvm::StringRef text)> take);

/// What `calibrate` of Compile.h writes, as text. Returns the exit code.
int measureRates(llvm::ArrayRef<std::string> sets, std::string &rates);

} // namespace plc::driver

#endif
