#include "plc/Module/ParameterGroups.h"
#include "plc/Module/UpdateRules.h"

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

TEST(ParameterGroups, FormsFollowKindsAndAxes) {
  OptimizerSettings settings = withGroups({{"head.*", {{"beta", 0.25}}, false, "other", {{"beta", 0.5}}}});
  settings.kind = "own";
  settings.forms = {{"own", "w", "g", 2, true, {{"rows", 0, {1}}}},
                    {"own", "w", "g", 1, false, {}},
                    {"other", "w", "g", 0, true, {{"m"}, {"v"}}}};
  // The third axis of a matrix belongs to its columns.
  std::vector<GroupedParameter> all = {{"block.w", 3, 1}, {"block.bias", 1}, {"head.w", 2}, {"scale", 0}};
  ParameterGroups groups(settings, all);
  EXPECT_EQ(groups.formOf("block.w"), &settings.forms[0]);
  EXPECT_EQ(groups.formOf("block.bias"), &settings.forms[1]);
  EXPECT_EQ(groups.formOf("head.w"), &settings.forms[2]);
  EXPECT_EQ(groups.formOf("scale"), nullptr);
  OptimizerSettings ofHead = groups.settingsOf(groups.variantOf("head.w"));
  EXPECT_EQ(ofHead.kind, "other");
  EXPECT_EQ(settingOf(ofHead, "beta"), 0.25);
  EXPECT_EQ(settingOf(groups.settingsOf(groups.variantOf("block.w")), "weight_decay"), 0.5);
  EXPECT_EQ(groups.findUntaken(all)->path, "optimizer.kind");
  all.back().frozen = true;
  EXPECT_FALSE(groups.findUntaken(all));
}

TEST(ParameterGroups, MomentsHaveAxesOfMatrices) {
  plc::module::ParameterInfo wo{"wo", plc::ElementType::F32, {2, 8, 16}, {}, false};
  wo.rows = 2;
  EXPECT_EQ(plc::module::updatedShape(wo), (std::vector<int64_t>{16, 16}));
  EXPECT_EQ(plc::module::momentOf(wo, {"m"}).shape, wo.shape);
  EXPECT_EQ(plc::module::momentOf(wo, {"rows", 0, {1}}).shape, (std::vector<int64_t>{2, 8}));
  wo.rows = 0; // two matrices
  EXPECT_EQ(plc::module::momentOf(wo, {"rows", 0, {1}}).shape, (std::vector<int64_t>{2, 8}));
}

TEST(UpdateRules, ResultsLieBesideEachOther) {
  plc::module::OptimizerForm form{"own", "w", "g", 2, true, {{"rows", 0, {1}}}};
  plc::module::UpdateProgram program{{3, 40}, {"w", "g", "rows"}, {"w", "rows"}, 100, false, {}};
  plc::module::UpdateLayout layout = plc::module::layoutOf(program, form, 4, /*inShards=*/false);
  EXPECT_EQ(layout.gradient, 0);
  EXPECT_EQ(layout.results, (std::vector<int64_t>{512, 1024})); // of 480 and 12 bytes
  EXPECT_EQ(layout.scratch, 1088);
  EXPECT_EQ(layout.bytes, 1216);
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
