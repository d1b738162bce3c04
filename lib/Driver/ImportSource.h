//===- ImportSource.h - rules of an imported model --------------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_IMPORTSOURCE_H
#define PLC_LIB_DRIVER_IMPORTSOURCE_H

#include "plc/Driver/Compile.h"

#include <optional>
#include <string>

namespace plc::driver {

/// Whether a model is an archive of another system.
bool isImported(const std::string &model);

/// Imports `options.model`. With --params writes its weights, with --emit=ein-source its rules; else `text` has the
/// rules, to be compiled. Returns the exit code; errors are reported.
int importSource(const CompileOptions &options, std::optional<std::string> &text);

/// Reports options that only imported models have, for a model that is none; returns the exit code.
int refuseImportOptions(const CompileOptions &options);

} // namespace plc::driver

#endif
