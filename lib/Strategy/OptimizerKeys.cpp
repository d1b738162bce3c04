//===- OptimizerKeys.cpp - the keys that an optimizer's rules add ---------===//
#include "OptimizerKeys.h"

#include "plc/Module/ParameterGroups.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace plc::strategy;
using llvm::StringRef;
using plc::module::OptimizerHeader, plc::module::OptimizerSetting;
namespace keys = plc::keys;

/// Far above any recipe; bounds the keys of a damaged file. Not tuned.
static constexpr size_t mostGroups = 256;

/// Keys refer to their paths, so paths live as long as the process.
static const char *intern(StringRef path) {
  static llvm::StringSet<> paths;
  return paths.insert(path).first->getKeyData();
}
static const char *pathOf(const OptimizerSetting &setting) { return intern(setting.key()); }

static Key keyFor(const OptimizerSetting &setting) {
  Key key{pathOf(setting), Key::Type::Number, setting.value, {}, setting.limits.least, setting.limits.isLeastExclusive};
  (setting.limits.isMostExclusive ? key.below : key.most) = setting.limits.most;
  return key;
}

/// The library's optimizers as the values that the key supports.
static Key kindKey() {
  Key key = *findKey(allKeys(), keys::optimizerKind.path);
  for (const OptimizerHeader &header : plc::language::standardOptimizers())
    key.supported.push_back(header.name);
  return key;
}

/// The number of groups that a file and sets give.
static size_t countGroups(StringRef strategyFile, llvm::ArrayRef<std::string> sets) {
  size_t count = 0;
  KeyReader::peek(groupsPath, strategyFile, sets, [&](const toml::node &node) {
    if (const toml::array *groups = node.as_array())
      count = groups->size();
    if (const toml::table *groups = node.as_table()) // as `Strategy::write` and sets of one key have them
      count = std::max(count, groups->size());
  });
  return std::min(count, mostGroups);
}

OptimizerChoice::OptimizerChoice(StringRef strategyFile, llvm::ArrayRef<std::string> sets, llvm::raw_ostream &errors)
    : kind(std::get<std::string>(kindKey().initial)), numGroups(countGroups(strategyFile, sets)) {
  auto kindIn = [](StringRef file, llvm::ArrayRef<std::string> sets) {
    std::optional<std::string> kind;
    KeyReader::peek(plc::keys::optimizerKind.path, file, sets, [&](const toml::node &node) {
      if (auto text = node.value_exact<std::string>())
        kind = *text;
    });
    return kind;
  };
  std::optional<std::string> ofFile = kindIn(strategyFile, {}), ofSets = kindIn("", sets);
  if (ofFile || ofSets)
    kind = ofSets ? *ofSets : *ofFile;
  StringRef rest = kind;
  if (!rest.consume_front("use ")) {
    name = kind;
    if (isSupported(kindKey(), kind, error))
      rules = language::OptimizerRules::read("", name, error, errors);
    else
      error += "; or \"use FILE:NAME\", with rules of your own";
    return;
  }
  auto [path, optimizer] = rest.trim().rsplit(':');
  name = optimizer.trim().str();
  file = path.trim().str();
  if (file.empty() || name.empty()) {
    error = "'optimizer.kind = \"" + kind + "\"' is no \"use FILE:NAME\"";
    return;
  }
  // A path in a strategy file is relative to the file's folder.
  if (!ofSets && llvm::sys::path::is_relative(file)) {
    llvm::SmallString<128> full(llvm::sys::path::parent_path(strategyFile));
    llvm::sys::path::append(full, file);
    file = full.str().str();
  }
  rules = language::OptimizerRules::read(file, name, error, errors);
}

/// The keys of a group: of those of the optimizer that may differ between parameters.
std::vector<Key> OptimizerChoice::keysOfGroup(size_t group, llvm::ArrayRef<Key> ofOptimizer) const {
  auto pathIn = [&](const std::string &name) { return intern(module::groupKey(group, name)); };
  std::vector<Key> keys{{pathIn(module::matchName), Key::Type::Text, std::string(), {}},
                        {pathIn(module::frozenName), Key::Type::Bool, false, {}}};
  auto add = [&](StringRef path) {
    Key &key = keys.emplace_back(*findKey(ofOptimizer, path));
    key.path = pathIn(StringRef(path).rsplit('.').second.str());
    key.isOptional = true;
  };
  for (const char *path :
       {plc::keys::optimizerLr.path, plc::keys::optimizerClipNorm.path, plc::keys::optimizerClipValue.path})
    add(path);
  if (rules)
    for (const OptimizerSetting &setting : rules->header().settings)
      add(pathOf(setting));
  return keys;
}

std::vector<Key> OptimizerChoice::keys() const {
  std::vector<Key> own;
  if (rules)
    for (const OptimizerSetting &setting : rules->header().settings)
      own.push_back(keyFor(setting));
  for (const OptimizerHeader &header : language::standardOptimizers())
    for (const OptimizerSetting &setting : header.settings) {
      auto found = llvm::find_if(own, [&](const Key &key) { return key.path == pathOf(setting); });
      if (found == own.end()) {
        own.push_back(keyFor(setting));
        found = own.end() - 1;
        found->whenKey = keys::optimizerKind.path;
      }
      if (found->whenKey)
        found->whenValues.push_back(header.name);
    }
  std::vector<Key> all;
  for (const Key &key : allKeys()) {
    all.push_back(key);
    if (StringRef(key.path) == keys::optimizerLr.path)
      all.insert(all.end(), own.begin(), own.end());
  }
  for (size_t group = 0; group < numGroups; ++group) {
    std::vector<Key> ofGroup = keysOfGroup(group, all);
    all.insert(all.end(), ofGroup.begin(), ofGroup.end());
  }
  return all;
}
