//===- Strategy.h - how a model is to be run --------------------*- C++ -*-===//
//
// A strategy is a set of keys with values: defaults, then a preset's, then a TOML file's, then `--set KEY=VALUE`.
// Keys.cpp lists every key with its type, default and the values that are supported; any other value is refused by name.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_STRATEGY_STRATEGY_H
#define PLC_STRATEGY_STRATEGY_H

#include "plc/Support/Choice.h"
#include "plc/Support/KeyPlaces.h"
#include "plc/Support/Rates.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace plc::strategy {

/// Numbers of a table whose names are the user's: of each size that is divided, its parts. In the order of the names.
using Counts = std::map<std::string, int64_t>;
using Value = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, Counts>;

/// What is known of one key.
struct Key {
  enum class Type { Bool, Integer, Number, Text, Integers, Counts, Bytes };
  const char *path;
  Type type;
  Value initial;
  /// The values that this compiler carries out; empty: any of the type.
  std::vector<Value> supported;
  /// Values of a Text that strategies may have, and that are refused by name.
  std::vector<std::string> refused;
  /// Smallest value of an Integer, of a Number (which must be larger if `exclusive`) and of entries of lists and tables. A default
  /// that is smaller stands for none.
  double least = 0;
  bool exclusive = false;
  /// Only meaningful if the key `whenKey`, a Text, has one of these values; an error otherwise.
  const char *whenKey = nullptr;
  std::vector<std::string> whenValues = {};
  /// Largest value of an Integer or a Number, and of entries.
  double most = 1e18;
  /// A Text that stands for the default, which is none that could be given.
  const char *word = nullptr;
};

/// A named set of values for keys that neither the file nor a set gives.
struct Preset {
  const char *name;
  std::vector<std::pair<const char *, Value>> values; // a key comes after the one that gives it a meaning
};

/// Every key, in the order of the manual.
llvm::ArrayRef<Key> allKeys();
llvm::ArrayRef<Preset> allPresets();
/// Every key of a file of rates, each named like the option of `form-kernels`.
llvm::ArrayRef<Key> rateKeys();
/// Null if there is no such key.
const Key *findKey(llvm::ArrayRef<Key> keys, llvm::StringRef path);
/// What to write instead of a path that is no key: "; the nearest is 'x'", or what stands in its table.
std::string suggestionFor(llvm::ArrayRef<Key> keys, llvm::StringRef path);
/// A value as TOML; of a key, its word for the default if it has one.
std::string print(const Value &value);
std::string print(const Key &key, const Value &value);

/// A key's value and where that came from: "preset NAME", "FILE:LINE", "--set", or the key that implies it.
struct Setting {
  Value value;
  std::string origin; ///< empty: the key's default
  bool isOwn = false; ///< the file, a set or a joint plan says so itself

  bool isGiven() const { return !origin.empty(); }
};

class Strategy {
public:
  /// Reads `file` (none if empty), then `sets` ("KEY=VALUE"), then fills in the preset. Errors go to `errors`, as
  /// FILE:LINE:COL or, for sets, as `tool: error:`; nullopt after any.
  static std::optional<Strategy> load(llvm::StringRef tool, llvm::StringRef file, llvm::ArrayRef<std::string> sets,
                                      llvm::raw_ostream &errors);

  /// The value of a key of `allKeys()`.
  template <typename T>
  const T &get(llvm::StringRef path) const {
    return std::get<T>(settings.find(path.str())->second.value);
  }

  /// The value of a key that is a choice.
  template <typename Kind>
  Kind getChoice(llvm::StringRef path) const {
    return *parseChoice<Kind>(get<std::string>(path));
  }

  /// Sizes that are divided, each as "NAME=PARTS".
  std::vector<std::string> shards() const {
    std::vector<std::string> shards;
    for (const auto &[name, parts] : get<Counts>("parallelism.shard"))
      shards.push_back(name + "=" + std::to_string(parts));
    return shards;
  }

  /// Whether a file, a set, a preset or another key gave the value.
  bool isGiven(llvm::StringRef path) const { return settings.find(path.str())->second.isGiven(); }
  /// Whether a file or a set gave the value itself.
  bool isOwn(llvm::StringRef path) const { return settings.find(path.str())->second.isOwn; }

  /// Gives a key of `allKeys()` a value that the joint plan has chosen; `isOwn` where no other key implies it.
  void choose(llvm::StringRef path, Value value, bool isOwn = false) {
    settings[path.str()] = {std::move(value), "automatic", isOwn};
  }

  /// Where values were given, a preset's with the preset.
  const KeyPlaces &places() const { return given; }

  /// Takes the rates of a text, as `machine.rates` has them. False, and nothing is taken, if it is wrong or lacks one.
  bool useRates(llvm::StringRef text);
  /// The rates that `machine.rates` gives, and those that are shipped for the instruction set.
  PerRate rates() const;
  /// Those that differ from the defaults of `form-kernels`, as its options: "ns-per-byte=0.05 ..".
  std::string ratesText() const;

  /// One line per key: KEY = VALUE and where it came from.
  void explain(llvm::raw_ostream &os) const;
  /// A strategy file of all values that are not defaults; it loads as this strategy, but for where values came from.
  void write(llvm::raw_ostream &os) const;

private:
  using Settings = std::map<std::string, Setting>;
  Strategy(Settings settings, Settings rates, KeyPlaces given)
      : settings(std::move(settings)), ratesOfFile(std::move(rates)), given(std::move(given)) {}

  Settings settings, ratesOfFile;
  std::optional<double> nsPerUpdatedByte; ///< that the profile gives
  KeyPlaces given;
};

} // namespace plc::strategy

#endif
