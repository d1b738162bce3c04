//===- Strategy.h - how a model runs ----------------------------*- C++ -*-===//
// A strategy is a set of keys with values: defaults, then a preset's, then a TOML file's, then `--set KEY=VALUE`.
// Keys.cpp lists every key with its type, default and supported values; any other value is refused by name.
#ifndef PLC_STRATEGY_STRATEGY_H
#define PLC_STRATEGY_STRATEGY_H

#include "plc/Module/OptimizerSettings.h"
#include "plc/Strategy/Keys.h"
#include "plc/Support/Choice.h"
#include "plc/Support/KeyLocations.h"
#include "plc/Support/Rates.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace plc::strategy {

using Value = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, Counts>;

/// The definition of a key.
struct Key {
  enum class Type { Bool, Integer, Number, Text, Integers, Counts, Bytes };
  const char *path;
  Type type;
  Value initial;
  /// The values that this compiler supports; empty: any of the type.
  std::vector<Value> supported;
  /// The least value of an Integer, a Number (exclusive if `exclusive`), and of entries of lists and tables. A smaller
  /// default stands for none.
  double least = 0;
  bool exclusive = false;
  /// The key has a meaning only if the key `whenKey`, a Text, has one of these values; otherwise giving it is an error.
  const char *whenKey = nullptr;
  std::vector<std::string> whenValues = {};
  /// The largest value of an Integer or a Number, and of entries.
  double most = 1e18;
  /// A word that stands for the default, if the default is no value that could be given.
  const char *word = nullptr;
  /// What a Number must be less than, beside `most`; checked once all values are read.
  double below = std::numeric_limits<double>::infinity();
  bool isOptional = false; ///< whether it has a value only if it is given: a key of a group
};

/// A preset: values for keys that neither the file nor a `--set` gives.
struct Preset {
  const char *name;
  std::vector<std::pair<const char *, Value>> values; // a key comes after the one that gives it a meaning
};

/// All keys but the settings of optimizers, in the order of docs/strategy.md, and all presets.
llvm::ArrayRef<Key> allKeys();
llvm::ArrayRef<Preset> allPresets();
/// All keys of a file of rates, named like the options of `form-kernels`.
llvm::ArrayRef<Key> rateKeys();
/// The key with this path; null if there is none.
const Key *findKey(llvm::ArrayRef<Key> keys, llvm::StringRef path);
/// A remedy for an unknown key: "; the nearest is 'x'", or the keys of its table.
std::string suggestionFor(llvm::ArrayRef<Key> keys, llvm::StringRef path);
/// A value as TOML text; with a key, its word for the default if it has one.
std::string print(const Value &value);
std::string print(const Key &key, const Value &value);

/// A key's value, and its origin: "preset NAME", "FILE:LINE", "--set", or the key that implies it.
struct Setting {
  Value value;
  std::string origin; ///< empty: the key's default
  bool isOwn = false; ///< the file, a `--set` or the search gave this very key

  bool isGiven() const { return !origin.empty(); }
};

/// A checked set of settings. Read-only, except that the search may choose values for open keys.
/// The value of a key among settings; of a choice, the enumerator that its name stands for.
template <typename T>
decltype(auto) valueOf(const std::map<std::string, Setting> &settings, TypedKey<T> key) {
  const Value &value = settings.find(key.path)->second.value;
  if constexpr (std::is_enum_v<T>)
    return T(*parseChoice<T>(std::get<std::string>(value))); // a copy: the optional ends here
  else
    return (std::get<T>(value));
}

/// An optimizer that a strategy names: its rules are read and checked, not lowered.
struct NamedOptimizer {
  module::OptimizerHeader header;
  std::string file; ///< of the rules; empty: std/optim.ein
};

class Strategy {
public:
  /// Reads `file` (none if empty), then `sets` ("KEY=VALUE"), then fills in the preset. Prints errors to `errors`, as
  /// FILE:LINE:COL or, for sets, as `tool: error:`, and returns nullopt after any.
  static std::optional<Strategy> load(llvm::StringRef tool, llvm::StringRef file, llvm::ArrayRef<std::string> sets,
                                      llvm::raw_ostream &errors);

  /// The value of a key; of a choice, the enumerator.
  template <typename T>
  decltype(auto) get(TypedKey<T> key) const {
    return valueOf(settings, key);
  }

  /// The value of a key of `allKeys()` by its name, which another key's row gives.
  bool hasKey(llvm::StringRef path) const { return settings.count(path.str()); }
  const Value &valueAt(llvm::StringRef path) const { return settings.find(path.str())->second.value; }

  /// The optimizers that `optimizer.kind` and groups name, each once: that of `optimizer.kind` first.
  const std::vector<NamedOptimizer> &optimizers() const { return chosen; }
  const module::OptimizerHeader &optimizer() const { return chosen.front().header; }
  /// That of a group.
  const module::OptimizerHeader &optimizerOf(size_t group) const { return chosen[chosenOfGroup[group]].header; }

  /// The sharded sizes, each as "NAME=SHARDS".
  std::vector<std::string> shards() const {
    std::vector<std::string> shards;
    for (const auto &[name, parts] : get(keys::parallelismShard))
      shards.push_back(name + "=" + std::to_string(parts));
    return shards;
  }

  /// Whether a file, a set, a preset or another key gave the value.
  template <typename T>
  bool isGiven(TypedKey<T> key) const {
    return isGiven(llvm::StringRef(key.path));
  }
  bool isGiven(llvm::StringRef path) const { return settings.find(path.str())->second.isGiven(); }
  /// Whether a file or a set gave the value itself.
  template <typename T>
  bool isOwn(TypedKey<T> key) const {
    return isOwn(llvm::StringRef(key.path));
  }
  bool isOwn(llvm::StringRef path) const { return settings.find(path.str())->second.isOwn; }

  /// Sets a key to a value that the search has chosen; `isOwn` if no other key implies it.
  void choose(llvm::StringRef path, Value value, bool isOwn = false) {
    settings[path.str()] = {std::move(value), "automatic", isOwn};
    if (path == keys::optimizerKind.path)
      chooseOptimizer();
  }
  template <typename T>
  void choose(TypedKey<T> key, const std::type_identity_t<T> &value, bool isOwn = false) {
    if constexpr (std::is_enum_v<T>)
      choose(llvm::StringRef(key.path), std::string(nameOfChoice(value)), isOwn);
    else
      choose(llvm::StringRef(key.path), value, isOwn);
  }

  /// Locations of the given values; a value of a preset has the preset's location.
  const KeyLocations &locations() const { return given; }

  /// Reads rates from a text in the format of `machine.rates`. Returns false, and changes nothing, if it is wrong or
  /// incomplete.
  bool useRates(llvm::StringRef text);
  /// The rates: from `machine.rates`, and otherwise those shipped for the instruction set.
  PerRate rates() const;
  /// The rates that differ from the defaults of `form-kernels`, as its options: "ns-per-byte=0.05 ..".
  std::string ratesText() const;

  /// Prints a line for each key: KEY = VALUE and its origin.
  void explain(llvm::raw_ostream &os) const;
  /// Prints a strategy file of all values that are not defaults. It loads as this strategy, but for origins.
  void write(llvm::raw_ostream &os) const;

private:
  using Settings = std::map<std::string, Setting>;
  Strategy(std::vector<Key> keys, Settings settings, Settings rates, KeyLocations given)
      : known(std::move(keys)), settings(std::move(settings)), ratesOfFile(std::move(rates)), given(std::move(given)) {}

  std::string textOf(const Key &key, const Setting &setting) const;
  /// Takes the rules of the library's optimizer that the key names.
  void chooseOptimizer();
  const NamedOptimizer *namedBy(llvm::StringRef path) const;

  std::vector<Key> known; ///< all keys, with the settings of the optimizer
  Settings settings, ratesOfFile;
  std::vector<NamedOptimizer> chosen;
  std::vector<size_t> chosenOfGroup;
  std::optional<double> nsPerUpdatedByte; ///< from the profile
  KeyLocations given;
};

} // namespace plc::strategy

#endif
