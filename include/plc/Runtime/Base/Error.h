// What went wrong, where, and with which exit code the tool ends.
#ifndef PLC_RUNTIME_BASE_ERROR_H
#define PLC_RUNTIME_BASE_ERROR_H

#include "plc/Support/ExitCodes.h"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plc::runtime {

using enum plc::ExitCode;

/// An error on its way to the user. `place` is `FILE` or `FILE:LINE:COL`; empty: the tool itself speaks.
/// An empty text means that the user has already been told (a parser printed its own diagnostics).
class Error : public std::runtime_error {
public:
  Error(int exitCode, std::string place, const std::string &text)
      : std::runtime_error(text), exitCode(exitCode), place(std::move(place)) {}

  /// In a rule: at the user's line, with a note at each place in the functions that it calls.
  Error(int exitCode, const std::vector<std::string> &places, const std::string &text)
      : Error(exitCode, places.empty() ? "" : places.front(), text) {
    for (size_t i = 1; i < places.size(); ++i)
      note("inside the called function, at " + places[i]);
  }

  Error &note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }

  /// A text of the command line that is wrong at a byte, from 0; shown below the error with a caret.
  Error &show(std::string shown, size_t byte) {
    text = std::move(shown);
    at = byte;
    return *this;
  }

  int exitCode;
  std::string place, text;
  size_t at = 0; // in the text
  std::vector<std::string> notes;
};

/// A bad option or run-time key: `TOOL: error: TEXT`, exit code 2.
inline Error usageError(const std::string &text) { return Error(BadUsage, "", text); }

/// A bad file: `FILE: error: TEXT`, exit code 1.
inline Error fileError(const std::string &file, const std::string &text) { return Error(BadInput, file, text); }

/// An error as the tools tell it, in lines, with the source line and a caret if `place` is in a readable file.
std::string textOf(const Error &error, const std::string &toolName);
/// Where printError and warnUser write: stderr, unless a process that a launcher has started writes for its launcher.
using ErrorSink = void (*)(const std::string &lines);
void setErrorSink(ErrorSink sink);
/// Prints that.
void printError(const Error &error, const std::string &toolName);

/// A warning to stderr. Of processes that run a model together the first one alone tells it.
void warnUser(const std::string &text);

} // namespace plc::runtime

#endif
