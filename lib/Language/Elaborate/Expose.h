//===- Expose.h - values of rules as results --------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_EXPOSE_H
#define PLC_LIB_LANGUAGE_ELABORATE_EXPOSE_H

#include "Emit/Program.h"

namespace plc {
class Diagnostics;
} // namespace plc

namespace plc::language {

/// Adds the value of a rule to the results of the model: `PATH.NAME` of a layer's call (`attention.3.p`), or
/// `MODEL.NAME` of the model's own. It is the value of the rule's left side, whatever later phases do inside the body.
/// Reports an error if there is no such rule.
void expose(Program &program, llvm::StringRef name, Diagnostics &diagnostics);

} // namespace plc::language

#endif
