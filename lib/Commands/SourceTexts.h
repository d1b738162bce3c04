//===- SourceTexts.h - the text that a model is made from ---------*- C++ -*-===//
#ifndef PLC_LIB_COMMANDS_SOURCETEXTS_H
#define PLC_LIB_COMMANDS_SOURCETEXTS_H

#include <string>

namespace plc::runtime {

/// The text of a .ein file and of all files that it uses, directly and through others, each behind its name. Reads too
/// much rather than too little (a `use` in a comment, too), because what is the same is not compiled again. A used file
/// that cannot be read counts as its name: the compiler says what is wrong. Throws if `file` itself cannot be read.
std::string textOfModel(const std::string &file);

} // namespace plc::runtime

#endif
