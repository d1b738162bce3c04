//===- StoredZip.h - members of a ZIP without compression -------*- C++ -*-===//
#ifndef PLC_IMPORT_READ_STOREDZIP_H
#define PLC_IMPORT_READ_STOREDZIP_H

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace plc::import {

/// The members of a ZIP, all of them stored, with 32-bit or 64-bit sizes. Checks that each one lies within the file and
/// that no two overlap, so later reads cannot fail. Names are relative and have no `..`. Checksums are not compared:
/// PyTorch can be told not to compute them.
class StoredZip {
public:
  /// `bytes` must outlive it. Throws ReadError.
  explicit StoredZip(std::string_view bytes);

  /// The bytes of a member; nullopt if there is none.
  std::optional<std::string_view> find(const std::string &name) const;
  /// By name.
  const std::map<std::string, std::string_view> &members() const { return byName; }

private:
  std::map<std::string, std::string_view> byName;
};

} // namespace plc::import

#endif
