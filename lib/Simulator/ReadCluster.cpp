//===- ReadCluster.cpp - a cluster from TOML --------------------------------===//
#include "plc/Simulator/Cluster.h"

#include "plc/Support/TomlText.h"

#include <charconv>
#include <cmath>
#include <span>

namespace plc::simulator {

namespace {

struct Unit {
  const char *suffix;
  double factor;
};
constexpr Unit times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Unit sizes[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}};
/// In bytes per nanosecond.
constexpr Unit bandwidths[] = {{"Gbit/s", 0.125}, {"Mbit/s", 0.125e-3}, {"GB/s", 1}, {"MB/s", 1e-3}};

class Reader : TomlText {
public:
  using TomlText::TomlText;

  std::optional<ClusterError> read(Cluster &cluster) {
    try {
      readRoot(parse(), cluster);
    } catch (const TomlError &error) {
      return ClusterError{error.line, error.column, error.text};
    }
    return std::nullopt;
  }

private:
  int64_t integer(const toml::node &node, const char *key, int64_t least) const {
    auto value = node.value_exact<int64_t>();
    if (!value || *value < least || *value > 1'000'000)
      fail(node, "'" + std::string(key) + "' needs an integer from " + std::to_string(least) + " to 1000000");
    return *value;
  }

  double positive(const toml::node &node, const char *key) const {
    auto value = node.value<double>();
    if (!value || !(*value > 0) || !(*value <= 1e6))
      fail(node, "'" + std::string(key) + "' needs a number above 0, of at most 1000000");
    return *value;
  }

  std::string name(const toml::node &node, const char *key) const {
    auto value = node.value_exact<std::string>();
    if (!value || value->empty())
      fail(node, "'" + std::string(key) + "' needs a name");
    return *value;
  }

  /// A number and its unit: "20us", "1.5 ms".
  double quantity(const toml::node &node, const char *key, std::span<const Unit> units, const char *example) const {
    std::string value = node.value_exact<std::string>().value_or("");
    double number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    std::string_view suffix(end, static_cast<size_t>(value.data() + value.size() - end));
    suffix.remove_prefix(std::min(suffix.find_first_not_of(' '), suffix.size()));
    for (const Unit &unit : units)
      if (error == std::errc() && suffix == unit.suffix && number >= 0 && number <= 1e15)
        return number * unit.factor;
    fail(node, "'" + std::string(key) + "' needs a quantity such as \"" + example + "\"");
  }

  const toml::table &table(const toml::node &node, const char *key) const {
    if (!node.is_table())
      fail(node, "'" + std::string(key) + "' needs a table");
    return *node.as_table();
  }

  Link readLink(const toml::table &fields) const {
    Link link;
    if (const toml::node *node = fields.get("latency"))
      link.latencyNs = quantity(*node, "latency", times, "20us");
    if (const toml::node *node = fields.get("bandwidth")) {
      double bytesPerNs = quantity(*node, "bandwidth", bandwidths, "10GB/s");
      if (bytesPerNs <= 0)
        fail(*node, "'bandwidth' is 0 but must be more");
      link.nsPerByte = 1 / bytesPerNs;
    }
    return link;
  }

  void readMachine(const toml::table &fields, Cluster &cluster) const {
    checkKeys(fields, {"name", "count", "ranks", "cores", "memory", "speed"}, "a machine");
    Machine machine;
    machine.name = std::to_string(cluster.machines.size());
    int64_t count = 1;
    if (const toml::node *node = fields.get("name"))
      machine.name = name(*node, "name");
    if (const toml::node *node = fields.get("count"))
      count = integer(*node, "count", 1);
    if (const toml::node *node = fields.get("ranks"))
      machine.ranks = integer(*node, "ranks", 1);
    if (const toml::node *node = fields.get("cores"))
      machine.cores = integer(*node, "cores", 1);
    if (const toml::node *node = fields.get("memory"))
      machine.memoryBytes = std::llround(quantity(*node, "memory", sizes, "16GiB"));
    if (const toml::node *node = fields.get("speed"))
      machine.speed = positive(*node, "speed");
    for (int64_t i = 0; i < count; ++i) {
      cluster.machines.push_back(machine);
      if (count > 1)
        cluster.machines.back().name = machine.name + "." + std::to_string(i);
    }
  }

  size_t machineOf(const toml::node &node, const Cluster &cluster) const {
    std::string wanted = name(node, "machines");
    for (size_t i = 0; i < cluster.machines.size(); ++i)
      if (cluster.machines[i].name == wanted)
        return i;
    fail(node, "no machine is named '" + wanted + "'");
  }

  void readPair(const toml::table &fields, Cluster &cluster) const {
    checkKeys(fields, {"machines", "latency", "bandwidth"}, "a link");
    const toml::array *machines = fields["machines"].as_array();
    if (!machines || machines->size() != 2)
      fail(fields, "a link of 'pairs' needs 'machines', a list of two names");
    Cluster::Pair pair{machineOf(*machines->get(0), cluster), machineOf(*machines->get(1), cluster), readLink(fields)};
    if (pair.first == pair.second)
      fail(*machines, "a machine has no link to itself; 'inside' is between its ranks");
    cluster.pairs.push_back(pair);
  }

  void readRoot(const toml::table &root, Cluster &cluster) const {
    checkKeys(root, {"machines", "links"}, "a cluster");
    const toml::node *machines = root.get("machines"), *links = root.get("links");
    if (!machines || !machines->is_array_of_tables())
      throw TomlError{1, 1, "a cluster needs machines: a table '[[machines]]' for each, or for each kind"};
    for (const toml::node &machine : *machines->as_array())
      readMachine(*machine.as_table(), cluster);
    for (size_t i = 0; i < cluster.machines.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (cluster.machines[i].name == cluster.machines[j].name)
          fail(*machines, "two machines are named '" + cluster.machines[i].name + "'");
    if (!links)
      return;
    const toml::table &fields = table(*links, "links");
    checkKeys(fields, {"inside", "between", "pairs"}, "links");
    for (auto [key, link] : {std::pair("inside", &cluster.inside), std::pair("between", &cluster.between)})
      if (const toml::node *node = fields.get(key)) {
        checkKeys(table(*node, key), {"latency", "bandwidth"}, "a link");
        *link = readLink(*node->as_table());
      }
    if (const toml::node *pairs = fields.get("pairs")) {
      if (!pairs->is_array_of_tables())
        fail(*pairs, "'pairs' needs tables '[[links.pairs]]'");
      for (const toml::node &pair : *pairs->as_array())
        readPair(*pair.as_table(), cluster);
    }
  }
};

} // namespace

std::optional<ClusterError> readCluster(const std::string &toml, Cluster &cluster) {
  cluster = {};
  return Reader(toml).read(cluster);
}

} // namespace plc::simulator
