//===- MachineRates.h - this machine's rates, measured once -----*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_MACHINERATES_H
#define PLC_LIB_DRIVER_MACHINERATES_H

#include "plc/Support/InstructionSets.h"

#include <string>

namespace plc::driver {

/// The file of this machine's rates for an instruction set, in the user's cache folder: one for each model of CPU. Measures
/// them if it is not there yet, and tells so on stderr. Empty if that failed, which is told, too.
std::string machineRates(InstructionSet isa);

} // namespace plc::driver

#endif
