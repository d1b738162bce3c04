//===- Assemble.h - layers and repeats of a whole model ---------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_TEXT_ASSEMBLE_H
#define PLC_LIB_IMPORT_TEXT_ASSEMBLE_H

#include "Rules/Rules.h"
#include "Text/Batch.h"

namespace plc::import {

/// The text of rules, and what its parameters were.
ImportedRules assemble(Rules &rules, const ImportOptions &options, Batch batch);

} // namespace plc::import

#endif
