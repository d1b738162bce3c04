//===- ParameterShards.h - parameters of which a program has parts --------*- C++ -*-===//
#ifndef PLC_MODULE_PARAMETERSHARDS_H
#define PLC_MODULE_PARAMETERSHARDS_H

#include "plc/Module/Entries.h"
#include "plc/Support/PartName.h"

#include <cstddef>

namespace plc::module {

/// The parameters as who reads and writes them sees them: parts (PartName.h), which stand one behind the other, as their
/// whole. Throws FormatError if parts are missing or differ.
std::vector<ParameterInfo> wholeParameters(const std::vector<ParameterInfo> &held);

/// Takes the bytes of a part out of those of the whole, or puts them there.
void takePart(const ParameterInfo &whole, const PartName &part, const std::byte *from, std::byte *to);
void putPart(const ParameterInfo &whole, const PartName &part, const std::byte *from, std::byte *to);

} // namespace plc::module

#endif
