#include "plc/Module/ParameterGroups.h"

#include <gtest/gtest.h>

using namespace plc::module;

namespace {

const std::vector<GroupedParameter> parameters = {{"embed.w", 2},         {"block.0.attn.wq", 3}, {"block.0.bias", 1},
                                                  {"block.1.attn.wq", 3}, {"block.1.bias", 1},    {"head.w", 2}};

OptimizerSettings withGroups(std::vector<ParameterGroup> groups) {
  OptimizerSettings settings;
  settings.lr = 8;
  settings.settings = {{"weight_decay", 0.5}, {"beta1", 0.9}};
  settings.groups = std::move(groups);
  return settings;
}

double settingOf(const OptimizerSettings &settings, const std::string &name) {
  for (const OptimizerSetting &setting : settings.settings)
    if (setting.name == name)
      return setting.value;
  return -1;
}

TEST(ParameterGroups, FirstMatchWins) {
  OptimizerSettings settings = withGroups({{"block.?.bias , head.*", {{"lr", 2}}}, {"*.bias,*.wq", {{"beta1", 0.5}}}});
  ParameterGroups groups(settings, parameters);
  EXPECT_EQ(groups.membersOf(0), (std::vector<std::string>{"block.0.bias", "block.1.bias", "head.w"}));
  EXPECT_EQ(groups.membersOf(1), (std::vector<std::string>{"block.0.attn.wq", "block.1.attn.wq"}));
  EXPECT_EQ(groups.membersOf(-1), (std::vector<std::string>{"embed.w"}));
  EXPECT_EQ(groups.settingsOf(groups.variantOf("head.w")).lr, 2);
  EXPECT_EQ(groups.settingsOf(groups.variantOf("embed.w")).lr, 8);
  EXPECT_EQ(settingOf(groups.settingsOf(groups.variantOf("block.1.attn.wq")), "beta1"), 0.5);
  EXPECT_EQ(settingOf(groups.settingsOf(groups.variantOf("block.1.bias")), "beta1"), 0.9);
  EXPECT_FALSE(groups.findConflict());
  settings.lr = 4; // of a run
  EXPECT_EQ(groups.settingsOf(groups.variantOf("embed.w")).lr, 4);
}

TEST(ParameterGroups, RatesFollowLayers) {
  OptimizerSettings settings = withGroups({{"*.bias", {{"lr", 2}}}});
  settings.layerDecay = 0.5;
  ParameterGroups groups(settings, parameters);
  for (auto [path, lr] : {std::pair("head.w", 8.0),
                          {"block.1.attn.wq", 4},
                          {"block.0.attn.wq", 2},
                          {"embed.w", 1},
                          {"block.1.bias", 1},
                          {"block.0.bias", 0.5}})
    EXPECT_EQ(groups.settingsOf(groups.variantOf(path)).lr, lr) << path;
}

TEST(ParameterGroups, OneTurnIsOneLayer) {
  OptimizerSettings settings = withGroups({});
  settings.layerDecay = 0.5;
  ParameterGroups groups(settings, {{"embed.w", 2},
                                    {"attention.0.g", 1},
                                    {"ffn.0.w", 2},
                                    {"attention.1.g", 1},
                                    {"ffn.1.w", 2},
                                    {"head.g", 1},
                                    {"embed.late", 1}});
  for (auto [path, lr] : {std::pair("head.g", 8.0),
                          {"ffn.1.w", 4},
                          {"attention.1.g", 4},
                          {"ffn.0.w", 2},
                          {"attention.0.g", 2},
                          {"embed.w", 1},
                          {"embed.late", 1}})
    EXPECT_EQ(groups.settingsOf(groups.variantOf(path)).lr, lr) << path;
}

TEST(ParameterGroups, DecaysMatricesOnly) {
  OptimizerSettings settings = withGroups({{"block.0.*", {{"weight_decay", 0.25}}}});
  settings.decayMatricesOnly = true;
  ParameterGroups groups(settings, parameters);
  for (auto [path, decay] : {std::pair("embed.w", 0.5), {"block.1.bias", 0}, {"block.0.bias", 0.25}})
    EXPECT_EQ(settingOf(groups.settingsOf(groups.variantOf(path)), "weight_decay"), decay) << path;
}

TEST(ParameterGroups, ConflictsNameBothGroups) {
  OptimizerSettings settings = withGroups({{"*.bias", {}}, {"block.1.bias", {}}});
  std::optional<SettingConflict> conflict = ParameterGroups(settings, parameters).findConflict();
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->path, "optimizer.group.1.match");
  EXPECT_EQ(conflict->text,
            "no parameter is left for the group 'block.1.bias': 'block.1.bias' is in the group '*.bias' "
            "before it, and the first match wins; put 'block.1.bias' first");
}

} // namespace
