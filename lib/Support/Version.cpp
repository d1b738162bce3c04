//===- Version.cpp - the version that CMake gives the project -------------===//
#include "plc/Support/Version.h"

const char *plc::version() { return PLC_VERSION; }
