//===- KeyReader.h - reads values of keys from TOML -------------*- C++ -*-===//
#ifndef PLC_LIB_STRATEGY_KEYREADER_H
#define PLC_LIB_STRATEGY_KEYREADER_H

#include "plc/Strategy/Strategy.h"
#include "plc/Support/ErrorLimit.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#define TOML_HEADER_ONLY 0
#define TOML_SHARED_LIB 1
#include <toml++/toml.h>

namespace plc::strategy {

/// The list of tables of parameters' groups.
inline constexpr const char *groupsPath = "optimizer.group";

/// Reads a file, then sets, into a value for each key. Prints errors, in a file with line, column and caret, in a set
/// with its text.
class KeyReader {
public:
  KeyReader(llvm::StringRef tool, llvm::raw_ostream &errors, llvm::ArrayRef<Key> keys);

  /// Reads a file; `kind` names its kind in errors.
  void readFile(llvm::StringRef kind, llvm::StringRef path);
  void readText(std::unique_ptr<llvm::MemoryBuffer> buffer);
  void readSet(llvm::StringRef set);

  /// The value of a key; of a choice, the enumerator.
  template <typename T>
  decltype(auto) get(TypedKey<T> key) const {
    return valueOf(settings, key);
  }
  template <typename T>
  const T &get(const std::string &path) const {
    return std::get<T>(settings.find(path)->second.value);
  }
  template <typename T>
  T &get(const std::string &path) {
    return std::get<T>(settings.find(path)->second.value);
  }
  /// Whether the file or a set gave a value.
  template <typename T>
  bool isGiven(TypedKey<T> key) const {
    return isGiven(llvm::StringRef(key.path));
  }
  bool isGiven(llvm::StringRef path) const { return given.count(path.str()); }
  /// Whether the file gave the value.
  bool isInFile(llvm::StringRef path) const {
    auto found = given.find(path.str());
    return found != given.end() && !found->second.set.data();
  }
  const std::vector<Key> &allKeys() const { return keys; }
  /// Prints an error at the location where a key was given, or without one.
  void errorAt(llvm::StringRef path, const llvm::Twine &message);

  /// Visits what a file and the sets give a key or a table, whatever else is in them.
  static void peek(const char *key, llvm::StringRef file, llvm::ArrayRef<std::string> sets,
                   llvm::function_ref<void(const toml::node &)> visit);

  /// The locations of all keys that do not have their defaults.
  KeyLocations locations();

  std::map<std::string, Setting> settings;
  bool failed = false;

private:
  /// The location of a key's value: in the file, or in a set.
  struct Location {
    toml::source_position at;
    llvm::StringRef set;
  };
  void error(const Location &location, const llvm::Twine &message);
  llvm::SMLoc locationOf(toml::source_position at);
  bool readGroup(const std::string &path, const toml::node &node, llvm::StringRef set);
  void readTable(const toml::table &table, const std::string &prefix, llvm::StringRef set);
  void readValue(const std::string &path, const toml::node &node, const std::string &origin, const Location &location);
  void refuseUnknown(const Location &location, const std::string &path);
  bool isGroup(const std::string &path) const;
  const Location *locationOf(const std::string &path) const;

  llvm::StringRef tool;
  llvm::raw_ostream &errors;
  const std::vector<Key> keys;
  llvm::SourceMgr sources;
  std::map<std::string, Location> given;
  ErrorLimit limit;
};

/// Whether the key that may give this key a meaning has a value that does.
bool isApplicable(const std::map<std::string, Setting> &settings, const Key &key);
/// Converts a node to a key's type; or returns nothing and sets `wrong`.
std::optional<Value> convert(const Key &key, const toml::node &node, std::string &wrong);
/// Whether a value of the key's type is supported; sets `wrong` otherwise, in which `origin` follows the value.
bool isSupported(const Key &key, const Value &value, std::string &wrong, const std::string &origin = "");

} // namespace plc::strategy

#endif
