// Errors on their way to the user: text, place, notes, exit code.
#ifndef PLC_RUNTIME_BASE_ERROR_H
#define PLC_RUNTIME_BASE_ERROR_H

#include "plc/Support/ExitCodes.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plc::runtime {

using enum plc::ExitCode;

/// An error on its way to the user. `place` is `FILE` or `FILE:LINE:COL`; empty: the tool itself. An empty text means
/// that the user has already seen the error (a parser printed its own diagnostics).
class Error : public std::runtime_error {
public:
  Error(int exitCode, std::string location, const std::string &text)
      : std::runtime_error(text), exitCode(exitCode), location(std::move(location)) {}

  /// An error in a rule: at the user's line, with a note for each place in the functions that it calls.
  Error(int exitCode, const std::vector<std::string> &locations, const std::string &text)
      : Error(exitCode, locations.empty() ? "" : locations.front(), text) {
    for (size_t i = 1; i < locations.size(); ++i)
      note("inside the called function, at " + locations[i]);
  }

  Error &note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }

  /// Shows a text of the command line below the error, with a caret at a byte, counted from 0.
  Error &show(std::string shown, size_t byte) {
    text = std::move(shown);
    at = byte;
    return *this;
  }

  int exitCode;
  std::string location, text;
  size_t at = 0; // the byte in `text`
  std::vector<std::string> notes;
};

/// A bad option or key: `TOOL: error: TEXT`, exit code 2.
inline Error usageError(const std::string &text) { return Error(BadUsage, "", text); }

/// A bad file: `FILE: error: TEXT`, exit code 1.
inline Error fileError(const std::string &file, const std::string &text) { return Error(BadInput, file, text); }

/// The error as tools print it, with the source line and a caret if `place` is in a readable file.
std::string textOf(const Error &error, const std::string &toolName);
/// Where printError and warnUser write: stderr, unless a launcher started this process (Launch.h).
using ErrorSink = void (*)(const std::string &lines);
void setErrorSink(ErrorSink sink);
/// Writes textOf() to the sink.
void printError(const Error &error, const std::string &toolName);

/// Writes a warning to the sink. Of processes that run a model together only the first one does.
void warnUser(const std::string &text);

} // namespace plc::runtime

#endif
