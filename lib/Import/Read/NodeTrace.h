//===- NodeTrace.h - where a node of a graph comes from ---------*- C++ -*-===//
#ifndef PLC_IMPORT_READ_NODETRACE_H
#define PLC_IMPORT_READ_NODETRACE_H

#include "plc/Import/Graph.h"

#include <string_view>

namespace plc::import {

/// The frames of PyTorch's `nn_module_stack`: "KEY,PATH,CLASS;..", the outermost first. Items of another form are left
/// out, because they only name things.
std::vector<ModuleFrame> moduleFrames(std::string_view stack);

/// The innermost line of a Python stack trace that is not in PyTorch's own files.
SourceLine userLine(std::string_view trace);

} // namespace plc::import

#endif
