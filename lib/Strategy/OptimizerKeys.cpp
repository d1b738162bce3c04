//===- OptimizerKeys.cpp - the keys that an optimizer's rules add ---------===//
#include "OptimizerKeys.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace plc::strategy;
using llvm::StringRef;
using plc::module::OptimizerHeader, plc::module::OptimizerSetting;
namespace keys = plc::keys;

/// The path of a setting. Keys refer to their names, so names live as long as the process.
static const char *pathOf(const OptimizerSetting &setting) {
  static llvm::StringSet<> names;
  return names.insert(setting.key()).first->getKeyData();
}

static Key keyOf(const OptimizerSetting &setting) {
  Key key{pathOf(setting), Key::Type::Number, setting.value, {}, setting.limits.least, setting.limits.isLeastExclusive};
  key.most = setting.limits.most;
  if (setting.limits.isMostExclusive)
    key.below = setting.limits.most;
  return key;
}

/// The library's optimizers as the values that the key supports.
static Key kindKey() {
  Key key = *findKey(allKeys(), keys::optimizerKind.path);
  for (const OptimizerHeader &header : plc::language::standardOptimizers())
    key.supported.push_back(header.name);
  return key;
}

OptimizerChoice::OptimizerChoice(StringRef strategyFile, llvm::ArrayRef<std::string> sets, llvm::raw_ostream &errors)
    : kind(std::get<std::string>(kindKey().initial)) {
  std::optional<std::string> ofFile = KeyReader::peek(keys::optimizerKind.path, strategyFile, {});
  std::optional<std::string> ofSets = KeyReader::peek(keys::optimizerKind.path, "", sets);
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

std::vector<Key> OptimizerChoice::keys() const {
  std::vector<Key> own;
  if (rules)
    for (const OptimizerSetting &setting : rules->header().settings)
      own.push_back(keyOf(setting));
  for (const OptimizerHeader &header : language::standardOptimizers())
    for (const OptimizerSetting &setting : header.settings) {
      auto found = llvm::find_if(own, [&](const Key &key) { return key.path == pathOf(setting); });
      if (found == own.end()) {
        own.push_back(keyOf(setting));
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
  return all;
}
