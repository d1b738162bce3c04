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

/// The text of a kind in a file or in sets: that of `[optimizer]`, or of a group.
static std::optional<std::string> kindIn(StringRef file, llvm::ArrayRef<std::string> sets,
                                         std::optional<size_t> group) {
  std::optional<std::string> kind;
  auto take = [&](const toml::node *node) {
    if (auto text = node ? node->value_exact<std::string>() : std::nullopt)
      kind = *text;
  };
  auto takeOfGroup = [&](const toml::node &node) {
    if (const toml::table *table = node.as_table())
      take(table->get(plc::module::kindName));
  };
  if (!group) {
    KeyReader::peek(keys::optimizerKind.path, file, sets, [&](const toml::node &node) { take(&node); });
    return kind;
  }
  KeyReader::peek(groupsPath, file, sets, [&](const toml::node &node) {
    if (const toml::array *groups = node.as_array(); groups && *group < groups->size())
      takeOfGroup(*groups->get(*group));
  });
  // As `Strategy::write` and sets of one key have them.
  std::string path = groupsPath + ("." + std::to_string(*group));
  KeyReader::peek(path.c_str(), file, sets, takeOfGroup);
  path += std::string(".") + plc::module::kindName;
  KeyReader::peek(path.c_str(), file, sets, [&](const toml::node &node) { take(&node); });
  return kind;
}

static std::optional<ChosenOptimizer> chooseOf(std::optional<size_t> group, StringRef strategyFile,
                                               llvm::ArrayRef<std::string> sets, llvm::raw_ostream &errors) {
  std::optional<std::string> ofFile = kindIn(strategyFile, {}, group), ofSets = kindIn("", sets, group);
  std::string key = group ? plc::module::groupKey(*group, plc::module::kindName) : keys::optimizerKind.path;
  if (!ofFile && !ofSets && group)
    return std::nullopt;
  if (!ofFile && !ofSets)
    ofSets = std::get<std::string>(kindKey().initial);
  return ChosenOptimizer(key, ofSets ? *ofSets : *ofFile, strategyFile, /*isOfFile=*/!ofSets, errors);
}

OptimizerChoice::OptimizerChoice(StringRef strategyFile, llvm::ArrayRef<std::string> sets, llvm::raw_ostream &errors)
    : common(*chooseOf(std::nullopt, strategyFile, sets, errors)) {
  for (size_t group = 0, count = countGroups(strategyFile, sets); group < count; ++group)
    ofGroups.push_back(chooseOf(group, strategyFile, sets, errors));
}

ChosenOptimizer::ChosenOptimizer(std::string key, StringRef kind, StringRef strategyFile, bool isOfFile,
                                 llvm::raw_ostream &errors)
    : key(std::move(key)) {
  StringRef rest = kind;
  if (!rest.consume_front("use ")) {
    name = kind.str();
    Key key = kindKey();
    key.path = intern(this->key);
    if (isSupported(key, name, error))
      rules = language::OptimizerRules::read("", name, error, errors);
    else
      error += "; or \"use FILE:NAME\", with rules of your own";
    return;
  }
  auto [path, optimizer] = rest.trim().rsplit(':');
  name = optimizer.trim().str();
  file = path.trim().str();
  if (file.empty() || name.empty()) {
    error = "'" + this->key + " = \"" + kind.str() + "\"' is no \"use FILE:NAME\"";
    return;
  }
  // A path in a strategy file is relative to the file's folder.
  if (isOfFile && llvm::sys::path::is_relative(file)) {
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
                        {pathIn(module::frozenName), Key::Type::Bool, false, {}},
                        {pathIn(module::kindName), Key::Type::Text, std::string(), {}}};
  auto add = [&](Key key) {
    key.path = pathIn(StringRef(key.path).rsplit('.').second.str());
    key.isOptional = true;
    keys.push_back(std::move(key));
  };
  for (const char *path :
       {plc::keys::optimizerLr.path, plc::keys::optimizerClipNorm.path, plc::keys::optimizerClipValue.path})
    add(*findKey(ofOptimizer, path));
  const ChosenOptimizer &chosen = ofGroups[group] ? *ofGroups[group] : common;
  if (chosen.rules)
    for (const OptimizerSetting &setting : chosen.rules->header().settings)
      add(keyFor(setting));
  return keys;
}

std::vector<Key> OptimizerChoice::keys() const {
  std::vector<Key> own;
  if (common.rules)
    for (const OptimizerSetting &setting : common.rules->header().settings)
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
  for (size_t group = 0; group < ofGroups.size(); ++group) {
    std::vector<Key> ofGroup = keysOfGroup(group, all);
    all.insert(all.end(), ofGroup.begin(), ofGroup.end());
  }
  return all;
}
