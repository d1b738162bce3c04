// Whole files: read with a bound, written so that no partial file is ever seen.
#ifndef PLC_RUNTIME_FILES_H
#define PLC_RUNTIME_FILES_H

#include "plc/Runtime/Error.h"

#include <string>
#include <string_view>

namespace plc::runtime {

/// The bytes of a regular file, or of stdin for "-". Throws fileError.
std::string readFile(const std::string &file);

/// Writes beside the file, syncs, and renames over it; "-" is stdout, devices and pipes are written where they stand. Throws fileError and removes what it began.
void writeFile(const std::string &file, std::string_view bytes);

/// Throws fileError if a file cannot be written. Called before the work whose result it will hold.
void checkWritable(const std::string &file);

} // namespace plc::runtime

#endif
