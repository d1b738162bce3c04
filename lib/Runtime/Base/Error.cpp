// Prints errors with their source line.
#include "plc/Runtime/Base/Error.h"

#include "plc/Runtime/Base/ProcessGroup.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace plc::runtime {

namespace {

/// The parts of `FILE:LINE:COL`; line 0 if it is only a file.
struct SourceLocation {
  std::string file;
  long line = 0, column = 0;
};

SourceLocation parseLocation(const std::string &location) {
  size_t second = location.rfind(':');
  size_t first = second == std::string::npos || second == 0 ? std::string::npos : location.rfind(':', second - 1);
  if (first == std::string::npos)
    return {location};
  long line = std::strtol(location.c_str() + first + 1, nullptr, 10);
  long column = std::strtol(location.c_str() + second + 1, nullptr, 10);
  if (line < 1 || column < 1)
    return {location};
  return {location.substr(0, first), line, column};
}

/// The line with a caret below its column; empty if it cannot be shown. The file may have changed since the model was
/// compiled.
std::string sourceLine(const SourceLocation &location) {
  if (location.line < 1)
    return "";
  std::ifstream file(location.file);
  std::string line;
  for (long number = 0; number < location.line; ++number)
    if (!std::getline(file, line))
      return "";
  if (static_cast<size_t>(location.column) > line.size() + 1)
    return "";
  std::string indent;
  for (long i = 0; i + 1 < location.column; ++i)
    indent += line[i] == '\t' ? '\t' : ' ';
  return line + "\n" + indent + "^\n";
}

} // namespace

std::string textOf(const Error &error, const std::string &toolName) {
  if (!*error.what())
    return "";
  const std::string &speaker = error.location.empty() ? toolName : error.location;
  std::string told = speaker + ": error: " + error.what() + "\n" + sourceLine(parseLocation(error.location));
  if (!error.text.empty())
    told += "  " + error.text + "\n  " + std::string(error.at, ' ') + "^\n";
  for (const std::string &note : error.notes)
    told += "note: " + note + "\n";
  return told;
}

static ErrorSink errorSink = [](const std::string &lines) { std::fputs(lines.c_str(), stderr); };

void setErrorSink(ErrorSink sink) { errorSink = sink; }

void printError(const Error &error, const std::string &toolName) { errorSink(textOf(error, toolName)); }

void warnUser(const std::string &text) {
  if (const ProcessGroup *group = ProcessGroup::joined(); !group || group->leads())
    errorSink(text);
}

} // namespace plc::runtime
