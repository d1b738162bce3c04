// Encodes events by hand: tensorflow/core/util/event.proto and summary.proto.
#include "Logs/EventFile.h"

#include "plc/Runtime/Base/Error.h"

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace plc::runtime {

namespace {

namespace fs = std::filesystem;

constexpr const char *filePrefix = "events.out.tfevents.";

/// Little-endian bytes.
template <typename Unsigned>
std::string fixed(Unsigned value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(value); ++i)
    bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}

/// A field's number, and how its value is encoded.
enum class Wire : unsigned { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };
std::string tag(unsigned field, Wire wire) { return varint(field << 3 | unsigned(wire)); }
std::string bytesField(unsigned field, const std::string &bytes) {
  return tag(field, Wire::Bytes) + varint(bytes.size()) + bytes;
}

/// Event: wall_time = 1, step = 2, and one of file_version = 3, summary = 5, session_log = 7.
std::string eventOf(int64_t step, const std::string &what) {
  std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return tag(1, Wire::Fixed64) + fixed(std::bit_cast<uint64_t>(now.count())) + tag(2, Wire::Varint) +
         varint(static_cast<uint64_t>(step)) + what;
}

std::string hostName() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

} // namespace

uint32_t maskedCrc(const std::string &bytes) {
  uint32_t crc = ~0U;
  for (char each : bytes) {
    crc ^= static_cast<unsigned char>(each);
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0); // the polynomial, reflected
  }
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

EventFile::EventFile(const std::string &folder, int64_t firstStep, bool goesOn) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw fileError(folder, "cannot be written: " + error.message());
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  // Of two runs within a second the later one has a later name.
  for (int number = 0; out == nullptr; ++number) {
    file = fs::path(folder) / (filePrefix + std::to_string(seconds.count()) + "." + hostName() + "." +
                               std::to_string(::getpid()) + "." + std::to_string(number));
    out = std::fopen(file.c_str(), "wbx");
    if (!out && errno != EEXIST)
      throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
  }
  writeRecord(eventOf(0, bytesField(3, "brain.Event:2")));
  if (goesOn) // SessionLog: status = 1, START = 1
    writeRecord(eventOf(firstStep, bytesField(7, tag(1, Wire::Varint) + varint(1))));
}

EventFile::~EventFile() {
  if (out)
    std::fclose(out);
}

void EventFile::writeRecord(const std::string &event) {
  std::string length = fixed(static_cast<uint64_t>(event.size()));
  std::string record = length + fixed(maskedCrc(length)) + event + fixed(maskedCrc(event));
  if (std::fwrite(record.data(), 1, record.size(), out) != record.size() || std::fflush(out) != 0)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
}

void EventFile::write(int64_t step, const std::vector<std::pair<std::string, double>> &scalars) {
  // Summary: value = 1. Value: tag = 1, simple_value = 2.
  std::string summary;
  for (const auto &[name, value] : scalars)
    summary += bytesField(1, bytesField(1, name) + tag(2, Wire::Fixed32) +
                                 fixed(std::bit_cast<uint32_t>(static_cast<float>(value))));
  writeRecord(eventOf(step, bytesField(5, summary)));
}

std::vector<std::string> EventFile::filesIn(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(filePrefix))
      files.push_back(entry.path());
  return files;
}

} // namespace plc::runtime
