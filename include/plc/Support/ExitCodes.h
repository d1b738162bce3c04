//===- ExitCodes.h - the exit codes of all tools ----------------*- C++ -*-===//
#ifndef PLC_SUPPORT_EXITCODES_H
#define PLC_SUPPORT_EXITCODES_H

namespace plc {

/// The only list of exit codes. A file that cannot be read or written is bad input, not bad usage: the command line was
/// understood.
enum ExitCode {
  Done = 0,
  BadInput = 1, ///< a model, tensor or module
  BadUsage = 2, ///< the command line or a strategy
  NoPlan = 3,   ///< the request is fine but nothing fits it
  PeerLost = 4, ///< another process of the run
  Hang = 5,
  ResultDiffers = 6,
  Internal = 70,
  HungUp = 129,      ///< SIGHUP, after the run has saved
  Interrupted = 130, ///< SIGINT, likewise
  Terminated = 143   ///< SIGTERM, likewise
};

/// The exit code that a shell reports for a program ended by a signal.
inline ExitCode codeOfSignal(int signal) { return ExitCode(128 + signal); }
inline bool isOfSignal(int code) { return code > 128; }

/// The beginning of messages of `NoPlan`, for people. Programs read the exit code.
inline constexpr const char *noPlanPrefix = "no plan fits: ";

} // namespace plc

#endif
