//===- ExitCodes.h - what a tool ends with ----------------------*- C++ -*-===//
#ifndef PLC_SUPPORT_EXITCODES_H
#define PLC_SUPPORT_EXITCODES_H

namespace plc {

/// The only list of the exit codes of all tools. A file that cannot be read or written counts as bad input, not as
/// usage: the command line was understood.
enum ExitCode {
  Done = 0,
  BadInput = 1, ///< a model, tensor or module
  BadUsage = 2, ///< the command line or a strategy
  NoPlan = 3,   ///< the request is fine but nothing fits it
  PeerLost = 4, ///< another process of the run
  Hang = 5,
  ResultDiffers = 6,
  Internal = 70,
  HungUp = 129,      ///< SIGHUP, after what a run has done was saved
  Interrupted = 130, ///< SIGINT, likewise
  Terminated = 143   ///< SIGTERM, likewise
};

/// As a shell tells that a signal ended a program.
inline ExitCode codeOfSignal(int signal) { return ExitCode(128 + signal); }
inline bool isOfSignal(int code) { return code > 128; }

/// What messages of `NoPlan` begin with, for people: the code is a property of the error, not of its text.
inline constexpr const char *noPlanPrefix = "no plan fits: ";

} // namespace plc

#endif
