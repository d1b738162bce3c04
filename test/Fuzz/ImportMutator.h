//===- ImportMutator.h - changes of a model's graph -------------*- C++ -*-===//
#ifndef PLC_TEST_FUZZ_IMPORTMUTATOR_H
#define PLC_TEST_FUZZ_IMPORTMUTATOR_H

#include "Read/ReadError.h"
#include "Read/StoredZip.h"
#include "StoredArchive.h"
#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <random>

using Json = nlohmann::json;

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  /// Less than `count`.
  size_t below(size_t count) { return count ? engine() % count : 0; }
  template <class List>
  auto &of(List &list) {
    return *std::next(list.begin(), std::ptrdiff_t(below(list.size())));
  }
  /// Mostly small, sometimes beyond all sizes.
  int64_t number(int64_t old) {
    const int64_t usual[] = {0, 1, -1, 2, 3, 4, old + (old < INT64_MAX), old - (old > INT64_MIN), old / 2},
                  rare[] = {INT32_MAX, int64_t(1) << 31, int64_t(1) << 44, int64_t(1) << 62, INT64_MAX, INT64_MIN, -2};
    return below(8) ? usual[below(std::size(usual))] : rare[below(std::size(rare))];
  }

private:
  std::minstd_rand engine;
};

/// Calls `visit` on a value and all below it.
inline void forEach(Json &json, const std::function<void(Json &)> &visit) {
  visit(json);
  if (json.is_structured())
    for (Json &each : json)
      forEach(each, visit);
}

/// The values below one for which something holds.
inline std::vector<Json *> all(Json &json, const std::function<bool(const Json &)> &holds) {
  std::vector<Json *> found;
  forEach(json, [&](Json &each) {
    if (holds(each))
      found.push_back(&each);
  });
  return found;
}

inline bool isTensor(const Json &json) { return json.is_object() && json.size() == 1 && json.contains("name"); }

/// One random change of a graph. `other` is the graph of another model, or null.
class GraphMutator {
public:
  GraphMutator(Json &module, const Json *other, Random &random)
      : module(module), graph(module["graph"]), other(other), random(random) {}
  void run() {
    static constexpr void (GraphMutator::*changes[])() = {
        &GraphMutator::changeNumber,    &GraphMutator::changeNumber, &GraphMutator::changeList,
        &GraphMutator::changeType,      &GraphMutator::changeRank,   &GraphMutator::changeSizes,
        &GraphMutator::replaceArgument, &GraphMutator::readAnother,  &GraphMutator::rename,
        &GraphMutator::insert,          &GraphMutator::result,       &GraphMutator::kind};
    other &&random.below(4) ? insert() : (this->*changes[random.below(std::size(changes))])();
  }

private:
  Json &nodes() { return graph["nodes"]; }
  Json &types() { return graph["tensor_values"]; }
  void changeNumber() {
    std::vector<Json *> numbers =
        all(random.below(2) ? nodes() : types(), [](auto &x) { return x.is_number_integer(); });
    if (!numbers.empty())
      *random.of(numbers) = random.number(*random.of(numbers));
  }
  /// Without an element, or with one twice.
  void changeList() {
    std::vector<Json *> lists = all(nodes(), [](auto &x) { return x.is_array() && !x.empty(); });
    if (lists.empty())
      return;
    Json &list = *random.of(lists);
    size_t at = random.below(list.size());
    if (random.below(3))
      list.erase(at);
    else
      list.push_back(Json(list[at]));
  }
  Json *type() { return types().empty() ? nullptr : &random.of(types()); }
  void changeType() {
    static constexpr int codes[] = {1, 2, 4, 5, 6, 7, 8, 12, 13, 10};
    if (Json *meta = type())
      (*meta)["dtype"] = codes[random.below(std::size(codes))];
  }
  void changeRank() {
    Json *meta = type();
    if (!meta)
      return;
    Json &sizes = (*meta)["sizes"], size = sizes.empty() ? Json() : sizes.back();
    if (random.below(2) || sizes.empty())
      sizes.insert(sizes.begin() + std::ptrdiff_t(random.below(sizes.size() + 1)), Json{{"as_int", random.below(4)}});
    else
      sizes.erase(random.below(sizes.size()));
  }
  /// One size in all of the graph.
  void changeSizes() {
    std::vector<Json *> sizes = all(types(), [](auto &x) { return x.is_object() && x.contains("as_int"); });
    if (sizes.empty())
      return;
    Json old = (*random.of(sizes))["as_int"];
    int64_t now = random.number(old.is_number_integer() ? old.get<int64_t>() : 0);
    for (Json *each : all(graph, [&](auto &x) { return x == old; }))
      *each = now;
  }
  /// An argument takes another one's place. A copy, since one may be in the other.
  void replaceArgument() {
    std::vector<Json *> arguments = all(nodes(), [](auto &x) { return x.is_object() && x.contains("arg"); });
    if (arguments.empty())
      return;
    Json taken = (*random.of(arguments))["arg"];
    (*random.of(arguments))["arg"] = std::move(taken);
  }
  void readAnother() {
    std::vector<Json *> read = all(nodes(), isTensor);
    if (!read.empty() && !types().empty())
      (*random.of(read))["name"] = std::next(types().begin(), std::ptrdiff_t(random.below(types().size()))).key();
  }
  void rename() {
    if (!nodes().empty())
      random.of(nodes())["target"] = Json(random.of(nodes())["target"]);
  }
  /// An argument of another kind.
  void kind() {
    std::vector<Json *> arguments = all(nodes(), [](auto &x) { return x.is_object() && x.contains("arg"); });
    const Json values[] = {{{"as_int", 1}},   {{"as_ints", {0, 1}}}, {{"as_float", 0.5}},     {{"as_bool", true}},
                           {{"as_ints", {}}}, {{"as_none", true}},   {{"as_string", "mean"}}, {{"as_tensors", {}}}};
    if (!arguments.empty())
      (*random.of(arguments))["arg"] = values[random.below(std::size(values))];
  }
  /// A copy of a node, here or of the other graph: it reads values of this graph, and its results have other names.
  void insert() {
    const Json &from = other ? other->at("graph") : graph;
    if (from.at("nodes").empty())
      return;
    Json node = random.of(from.at("nodes"));
    std::string prefix = "n" + std::to_string(types().size()) + "_";
    for (Json *output : all(node["outputs"], isTensor)) {
      std::string old = (*output)["name"], now = prefix + old;
      (*output)["name"] = now;
      types()[now] = Json(from.at("tensor_values").at(old));
      module["signature"]["output_specs"].push_back({{"user_output", {{"arg", {{"as_tensor", {{"name", now}}}}}}}});
    }
    for (Json *input : all(node["inputs"], isTensor)) {
      std::string old = (*input)["name"];
      if (random.below(2) && from.at("tensor_values").contains(old)) {
        types()[prefix + old] = Json(from.at("tensor_values").at(old));
        module["signature"]["input_specs"].push_back(
            {{"user_input", {{"arg", {{"as_tensor", {{"name", prefix + old}}}}}}}});
        (*input)["name"] = prefix + old;
      } else if (std::vector<Json *> known = all(nodes(), isTensor); !known.empty()) {
        (*input)["name"] = Json((*random.of(known))["name"]);
      }
    }
    nodes().push_back(node);
  }
  void result() {
    std::vector<Json *> outputs = all(module["signature"]["output_specs"], isTensor), made = all(nodes(), isTensor);
    if (!outputs.empty() && !made.empty())
      (*random.of(outputs))["name"] = Json((*random.of(made))["name"]);
  }

  Json &module, &graph;
  const Json *other;
  Random &random;
};

/// As many strides as sizes.
inline void mendStrides(Json &meta) {
  Json strides = Json::array();
  double stride = 1;
  for (size_t i = meta["sizes"].size(); i-- > 0; stride *= std::max(meta["sizes"][i].value("as_int", 1.0), 1.0))
    strides.insert(strides.begin(), Json{{"as_int", stride < 1e18 ? int64_t(stride) : 1}});
  meta["strides"] = strides;
}

/// The archive's tensors as its graph has them.
inline void mendWeights(Json &program, std::map<std::string, std::string> &texts) {
  Json &module = program["graph_module"], &types = module["graph"]["tensor_values"];
  std::map<std::string, std::string> values; // by path
  for (Json &spec : module["signature"]["input_specs"])
    for (auto &[kind, held] : spec.items())
      for (const char *key : {"parameter_name", "buffer_name", "tensor_constant_name"})
        if (held.contains(key))
          values[held[key]] = held["arg"]["name"];
  for (auto &[name, text] : texts) {
    if (!name.ends_with("_config.json"))
      continue;
    Json config = Json::parse(text);
    for (auto &[path, tensor] : config["config"].items())
      if (values.contains(path) && types.contains(values[path])) {
        tensor["tensor_meta"] = types[values[path]];
        double bytes = 8;
        for (Json &size : tensor["tensor_meta"]["sizes"])
          bytes *= size.value("as_int", 1.0);
        std::string file = name.substr(0, name.rfind('/') + 1) + tensor["path_name"].get<std::string>();
        if (bytes >= 0 && bytes < 2000 && texts.contains(file) && texts[file].size() < size_t(bytes))
          texts[file].resize(size_t(bytes), '\0');
      }
    text = config.dump();
  }
}

/// The graph of an archive, which is its only member in `models/`.
inline std::string graphOf(const std::map<std::string, std::string> &texts) {
  for (const auto &[name, text] : texts)
    if (name.find("/models/") != std::string::npos)
      return name;
  throw plc::import::ReadError("no graph");
}

inline std::map<std::string, std::string> textsOf(std::string_view bytes) {
  std::map<std::string, std::string> texts;
  plc::import::StoredZip zip(bytes);
  for (const auto &[name, text] : zip.members())
    texts[name] = text;
  return texts;
}

/// An archive with a few changes, in part from the graph of another one; empty if it is not such an archive.
inline std::string mutatedArchive(std::string_view bytes, std::string_view other, Random &random) {
  try {
    std::map<std::string, std::string> texts = textsOf(bytes);
    std::string &text = texts.at(graphOf(texts));
    Json program = Json::parse(text), from;
    if (!other.empty()) {
      std::map<std::string, std::string> otherTexts = textsOf(other);
      from = Json::parse(otherTexts.at(graphOf(otherTexts)))["graph_module"];
    }
    for (size_t count = 1 + random.below(3); count > 0; --count)
      GraphMutator(program["graph_module"], other.empty() ? nullptr : &from, random).run();
    for (Json &meta : program["graph_module"]["graph"]["tensor_values"])
      mendStrides(meta);
    if (random.below(16))
      mendWeights(program, texts);
    text = program.dump();
    return storedArchive({texts.begin(), texts.end()});
  } catch (const plc::import::ReadError &) {
  } catch (const Json::exception &) {
  } catch (const std::out_of_range &) {
  }
  return "";
}

/// A text with another number, or with one word in place of another one; empty: any change of bytes will do.
inline std::string mutatedText(std::string_view bytes, Random &random) {
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '%' || c == '_'; };
  std::vector<std::pair<size_t, size_t>> words, numbers;
  for (size_t begin = 0, end = 0; begin < bytes.size(); begin = end + 1) {
    for (end = begin; end < bytes.size() && isPart(bytes[end]);)
      ++end;
    if (end > begin)
      (std::isdigit(static_cast<unsigned char>(bytes[begin])) ? numbers : words).emplace_back(begin, end - begin);
  }
  std::string made(bytes);
  size_t change = random.below(4);
  if (change < 2 && !numbers.empty()) {
    auto [at, length] = random.of(numbers);
    size_t digits = std::min(made.find_first_not_of("0123456789", at), at + length) - at;
    return made.replace(at, digits, std::to_string(random.number(std::atoi(made.c_str() + at))));
  }
  if (change == 2 && !words.empty()) {
    auto [at, length] = random.of(words);
    auto [from, count] = random.of(words);
    return made.replace(at, length, bytes.substr(from, count));
  }
  return "";
}

#endif
