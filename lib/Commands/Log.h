// The log of a training run: JSON lines, CSV and event files.
#ifndef PLC_LIB_COMMANDS_LOG_H
#define PLC_LIB_COMMANDS_LOG_H

#include "Groups.h"
#include "Logs/EventFile.h"
#include "Logs/StepColumns.h"
#include "Options.h"
#include "plc/Runtime/Base/ShortestDigits.h"
#include "plc/Runtime/Tensors/Checkpoint.h"

#include <cstdio>
#include <optional>

namespace plc::runtime {

/// A text file of lines. Each line is flushed, so a killed run loses at most one.
class LogFile {
public:
  LogFile() = default;
  ~LogFile();
  LogFile(const LogFile &) = delete;

  /// `-` is stdout. `append` keeps what the file has, but a line that was cut. Throws fileError.
  void open(const std::string &file, bool append);
  /// Throws fileError.
  void writeLine(const std::string &line);
  explicit operator bool() const { return out != nullptr; }
  bool isEmpty() const { return !out || out == stdout || std::ftell(out) == 0; }

private:
  std::string file;
  std::FILE *out = nullptr;
};

/// Writes the log (docs/running.md) in each format that was asked for: `--log`, `--log-csv`, `--log-tensorboard`. Only
/// the leader writes.
class Log {
public:
  /// A run that resumes at step `begun` continues earlier logs; else they start anew, the JSON lines with the plan.
  /// Throws fileError.
  Log(const Options &options, int64_t begun, Engine &engine);

  /// A line if the run continues with another program, whose plan follows, or with other data.
  void resume(int64_t step, const std::optional<KeyChange> &change, const std::optional<DataLengths> &before,
              const std::optional<DataLengths> &now);
  /// A line with the settings in effect, if the run sets any of them, and one with the groups of parameters.
  void settings();
  void groups(const std::vector<GroupRow> &rows);
  /// Planned bytes of this process, for the summary.
  void planBytes(int64_t bytes) { plannedBytes = bytes; }
  void step(const StepRecord &record);
  /// The last JSON line. Collective. `skipped`: steps that this run has left out,
  /// if it may leave some out.
  void summary(int64_t steps, std::optional<double> loss, const std::optional<HeldOutMeans> &holdout,
               std::optional<int64_t> skipped);

private:
  void openCsv(const std::string &file, bool append);

  Engine &engine;
  ElementType real;
  std::vector<LogColumn> columns;
  bool hasJson; // in any process
  LogFile json, csv;
  std::optional<EventFile> events;
  int64_t plannedBytes = 0; // of this process; 0: no plan
};

} // namespace plc::runtime

#endif
