//===- StoredArchive.h - writes a ZIP without compression -------*- C++ -*-===//
#ifndef PLC_TEST_FUZZ_STOREDARCHIVE_H
#define PLC_TEST_FUZZ_STOREDARCHIVE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Names and bytes.
using Members = std::vector<std::pair<std::string_view, std::string_view>>;

inline void appendNumber(std::string &bytes, uint64_t value, size_t width) {
  bytes.append(reinterpret_cast<const char *>(&value), width);
}

inline std::string storedArchive(const Members &members) {
  std::string bytes, directory;
  for (const auto &[name, data] : members) {
    appendNumber(directory, 0x02014b50, 4);
    directory.append(16, '\0');
    appendNumber(directory, data.size(), 4);
    appendNumber(directory, data.size(), 4);
    appendNumber(directory, name.size(), 2);
    directory.append(12, '\0');
    appendNumber(directory, bytes.size(), 4);
    directory += name;
    appendNumber(bytes, 0x04034b50, 4);
    bytes.append(22, '\0');
    appendNumber(bytes, name.size(), 4);
    bytes += name;
    bytes += data;
  }
  size_t begin = bytes.size();
  bytes += directory;
  appendNumber(bytes, 0x06054b50, 4);
  bytes.append(6, '\0');
  appendNumber(bytes, members.size(), 2);
  appendNumber(bytes, directory.size(), 4);
  appendNumber(bytes, begin, 4);
  bytes.append(2, '\0');
  return bytes;
}

#endif
