//===- ReadCluster.cpp - a cluster from TOML ------------------------------===//
#include "plc/Simulator/Cluster.h"

#include "plc/Support/TomlText.h"

#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <span>

namespace plc::simulator {

namespace {

struct Unit {
  const char *suffix;
  double factor;
};
constexpr Unit times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Unit sizes[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}};
/// Bandwidths in bytes per ns.
constexpr Unit bandwidths[] = {{"Gbit/s", 0.125}, {"Mbit/s", 0.125e-3}, {"GB/s", 1}, {"MB/s", 1e-3}};

/// A kind of quantity: its units and its range. Within these ranges no time of a real step overflows.
struct Quantity {
  std::span<const Unit> units;
  const char *example;
  double least, most;
  const char *range;
};
constexpr Quantity latencies = {times, "20us", 0, 1e15, "from 0s to 1000000s"};
constexpr Quantity memories = {sizes, "16GiB", 1, 0x1p62, "from 1B to 4294967296GiB"};
constexpr Quantity speeds = {bandwidths, "10GB/s", 1e-9, 1e6, "from 0.000001MB/s to 1000000GB/s"};
constexpr double leastSpeed = 1e-6, mostSpeed = 1e6;

/// Reads a description and throws at the first error, which `read` returns.
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
  /// Fails at a node with the found and the expected value.
  [[noreturn]] void refuse(const toml::node &node, const char *key, const std::string &expected) const {
    fail(node, "'" + std::string(key) + "' is " + written(node) + " but must be " + expected);
  }

  int64_t integer(const toml::node &node, const char *key, int64_t least) const {
    auto value = node.value_exact<int64_t>();
    if (!value || *value < least || *value > 1'000'000)
      refuse(node, key, "an integer from " + std::to_string(least) + " to 1000000");
    return *value;
  }

  double speedOf(const toml::node &node) const {
    auto value = node.value<double>();
    if (!value || !(*value >= leastSpeed) || !(*value <= mostSpeed))
      refuse(node, "speed", "a number from 0.000001 to 1000000");
    return *value;
  }

  std::string name(const toml::node &node, const char *key) const {
    auto value = node.value_exact<std::string>();
    if (!value || value->empty())
      refuse(node, key, "a name");
    return *value;
  }

  /// Reads a number with a unit: "20us", "1.5 ms".
  double quantity(const toml::node &node, const char *key, const Quantity &kind) const {
    std::string value = node.value_exact<std::string>().value_or("");
    double number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    std::string_view suffix(end, static_cast<size_t>(value.data() + value.size() - end));
    suffix.remove_prefix(std::min(suffix.find_first_not_of(' '), suffix.size()));
    for (const Unit &unit : kind.units)
      if (error != std::errc::invalid_argument && suffix == unit.suffix) {
        double result = number * unit.factor;
        if (error != std::errc() || !(result >= kind.least) || !(result <= kind.most))
          refuse(node, key, kind.range);
        return result;
      }
    refuse(node, key, "a quantity such as \"" + std::string(kind.example) + "\"");
  }

  const toml::table &table(const toml::node &node, const char *key) const {
    if (!node.is_table())
      fail(node, "'" + std::string(key) + "' needs a table");
    return *node.as_table();
  }

  Link readLink(const toml::table &fields) const {
    Link link;
    if (const toml::node *node = fields.get("latency"))
      link.latencyNs = quantity(*node, "latency", latencies);
    if (const toml::node *node = fields.get("bandwidth"))
      link.nsPerByte = 1 / quantity(*node, "bandwidth", speeds);
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
      machine.memoryBytes = std::llround(quantity(*node, "memory", memories));
    if (const toml::node *node = fields.get("speed"))
      machine.speed = speedOf(*node);
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

  /// The line of each pair of machines that was read, for errors about a second link.
  using PairLines = std::map<std::pair<size_t, size_t>, uint32_t>;
  void readPair(const toml::table &fields, Cluster &cluster, PairLines &lines) const {
    checkKeys(fields, {"machines", "latency", "bandwidth"}, "a link");
    const toml::array *machines = fields["machines"].as_array();
    if (!machines || machines->size() != 2)
      fail(fields, "a link of 'pairs' needs 'machines', a list of two names");
    Cluster::Pair pair{machineOf(*machines->get(0), cluster), machineOf(*machines->get(1), cluster), readLink(fields)};
    if (pair.first == pair.second)
      fail(*machines, "a machine has no link to itself; 'inside' is between its ranks");
    auto [earlier, isNew] = lines.try_emplace(std::minmax(pair.first, pair.second), machines->source().begin.line);
    if (!isNew)
      fail(*machines, "machines '" + cluster.machines[pair.first].name + "' and '" +
                          cluster.machines[pair.second].name + "' have another link at line " +
                          std::to_string(earlier->second) + "; leave one, which joins them in both directions");
    cluster.pairs.push_back(pair);
  }

  void readRoot(const toml::table &root, Cluster &cluster) const {
    checkKeys(root, {"machines", "links"}, "a cluster");
    const toml::node *machines = root.get("machines"), *links = root.get("links");
    if (!machines || !machines->is_array_of_tables())
      throw TomlError{1, 1, "a cluster needs machines: a table '[[machines]]' for each, or for each kind"};
    std::set<std::string> names;
    for (const toml::node &machine : *machines->as_array()) {
      const toml::table &fields = *machine.as_table();
      size_t known = cluster.machines.size();
      readMachine(fields, cluster);
      for (; known < cluster.machines.size(); ++known)
        if (const std::string &name = cluster.machines[known].name; !names.insert(name).second)
          fail(fields.contains("name") ? *fields.get("name") : fields, "two machines are named '" + name + "'");
    }
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
      PairLines lines;
      for (const toml::node &pair : *pairs->as_array())
        readPair(*pair.as_table(), cluster, lines);
    }
  }
};

} // namespace

std::optional<ClusterError> readCluster(const std::string &toml, Cluster &cluster) {
  cluster = {};
  return Reader(toml).read(cluster);
}

} // namespace plc::simulator
