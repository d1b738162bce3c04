// Event files, which TensorBoard reads.
#ifndef PLC_LIB_COMMANDS_LOGS_EVENTFILE_H
#define PLC_LIB_COMMANDS_LOGS_EVENTFILE_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace plc::runtime {

/// The checksum of TFRecord files: CRC-32C (Castagnoli), rotated and shifted so that a checksum of data that has
/// checksums is no special case.
uint32_t maskedCrc(const std::string &bytes);

/// A file of events in a folder: records of TFRecord, each a message `Event` of TensorFlow. Each record is flushed.
class EventFile {
public:
  /// Begins a file. A run that goes on behind a step gives the next one: TensorBoard then drops what the folder has of
  /// that step and later ones. Throws fileError.
  EventFile(const std::string &folder, int64_t firstStep, bool goesOn);
  ~EventFile();
  EventFile(const EventFile &) = delete;

  /// Scalars of a step, each with its tag.
  void write(int64_t step, const std::vector<std::pair<std::string, double>> &scalars);

  /// Event files in a folder.
  static std::vector<std::string> filesIn(const std::string &folder);

private:
  void writeRecord(const std::string &event);

  std::string file;
  std::FILE *out = nullptr;
};

} // namespace plc::runtime

#endif
