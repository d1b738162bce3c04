//===- SourceTexts.h - the text that a model is made from -------*- C++ -*-===//
#ifndef PLC_LIB_COMMANDS_SOURCETEXTS_H
#define PLC_LIB_COMMANDS_SOURCETEXTS_H

#include <string>

namespace plc::runtime {

/// The text of a .ein file and of all files that it uses, directly or not, each after its name: the key of the cache of
/// compiled models. Rather too much than too little (a `use` in a comment counts), because equal text is not compiled
/// again. A used file that cannot be read counts by its name; the compiler reports it. Throws fileError if `file`
/// itself cannot be read.
std::string textOfModel(const std::string &file);

} // namespace plc::runtime

#endif
