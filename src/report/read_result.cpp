#include "report/read_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/byte_size.h"
#include "base/file.h"
#include "base/json_text.h"
#include "causcale/error.h"
#include "discover/direction.h"
#include "report/json_field.h"
#include "report/sparse_output.h"

namespace causcale {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

class ResultReader {
 public:
  ResultReader(const JsonField& root, StoredResult& stored)
      : root_(root), stored_(stored), result_(stored.result) {}

  void run() {
    read_names();
    if (const auto kind = root_.find("score_kind")) read_score_kind(*kind);
    if (const auto method = root_.find("method"))
      read_method(*method);
    else
      read_network();
    if (const auto variables = root_.find("variables")) {
      for (const JsonField& variable : variables->items()) {
        variable.member("name").text();
        variable.member("kind").text();
      }
      stored_.record.variables_json = variables->json().dump();
    }
    read_removed();
    read_manifest(root_.member("manifest"));
  }

 private:
  void read_names() {
    for (const JsonField& name : root_.member("names").items()) {
      result_.names.push_back(name.text());
      if (!is_variable_name(result_.names.back())) name.fail("the name of a variable is expected");
      if (!number_.emplace(result_.names.back(), static_cast<int>(number_.size())).second)
        name.fail(fmt::format("the variable '{}' is there twice", result_.names.back()));
    }
  }

  void read_score_kind(const JsonField& kind) {
    result_.score_kind = kind.text();
    if (result_.score_kind != "probability" && result_.score_kind != "ranking")
      kind.fail(fmt::format("probability or ranking is expected, found '{}'", result_.score_kind));
  }

  int variable(const JsonField& name) const {
    const auto found = number_.find(name.text());
    if (found == number_.end()) name.fail(fmt::format("an edge of '{}', which is no variable", name.text()));
    return found->second;
  }
  Edge edge_of(const JsonField& entry) const {
    const Edge edge{variable(entry.member("source")), variable(entry.member("target"))};
    if (edge.source == edge.target)
      entry.fail(fmt::format("an edge from '{}' to itself", result_.names[edge.source]));
    return edge;
  }
  double score_of(const JsonField& entry) const {
    if (stored_.by_method) return entry.member("score").number();
    const JsonField score = entry.member("probability");
    return result_.score_kind == "ranking" ? score.number() : probability(score);
  }
  static double probability(const JsonField& field) { return field.number_in(0.0, 1.0); }
  static double any_number(const JsonField& field) { return field.number(); }
  static double number_or_nan(const JsonField& field) { return field.number_or_nan(); }

  using Entry = double (*)(const JsonField&);

  // Ordered pairs whose columns stand in place of whole matrices; nothing where the file has those.
  struct Pairs {
    JsonField columns;
    std::vector<Edge> edges;
  };
  std::optional<Pairs> read_pairs(const JsonField& parent) const {
    const auto columns = parent.find("pairs");
    if (!columns) return std::nullopt;
    const auto source = columns->member("source").items(), target = columns->member("target").items();
    if (source.size() != target.size())
      columns->fail(fmt::format("{} sources, but {} targets", source.size(), target.size()));
    const std::int64_t last = static_cast<std::int64_t>(result_.names.size()) - 1;
    Pairs pairs{*columns, {}};
    for (std::size_t k = 0; k < source.size(); ++k) {
      const Edge edge{static_cast<int>(source[k].whole(0, last)), static_cast<int>(target[k].whole(0, last))};
      if (edge.source == edge.target) target[k].fail("a pair of a variable with itself");
      pairs.edges.push_back(edge);
    }
    return pairs;
  }
  Matrix<double> column(const Pairs& pairs, const char* name, Entry entry) const {
    const auto values = pairs.columns.member(name).items();
    if (values.size() != pairs.edges.size())
      pairs.columns.fail(
          fmt::format("{} pairs, but {} numbers of {}", pairs.edges.size(), values.size(), name));
    // Unlike a matrix in text, pairs take no room for what they leave out.
    const std::uint64_t n = result_.names.size();
    require_memory(fmt::format("a result of {} variables", n), n * n * sizeof(double), reading_limit(0));
    Matrix<double> matrix(result_.names.size(), result_.names.size());
    for (std::size_t k = 0; k < values.size(); ++k)
      matrix(pairs.edges[k].source, pairs.edges[k].target) = entry(values[k]);
    return matrix;
  }
  void read_scores(const char* key, Entry entry) {
    const auto pairs = read_pairs(root_);
    if (!pairs) {
      result_.probabilities = root_.member(key).square(result_.names.size(), entry);
      return;
    }
    result_.probabilities = column(*pairs, "score", entry);
    result_.min_probability = pairs->columns.member("least").number();
    // The edges say more than the floor lets through.
    for (const JsonField& edge : root_.member("edges").items())
      for (const char* const name : {"probability_reverse", "score_reverse"})
        if (const auto reverse = edge.find(name)) {
          const Edge forwards = edge_of(edge);
          result_.probabilities(forwards.target, forwards.source) = entry(*reverse);
        }
  }

  void read_network() {
    const std::size_t n = result_.names.size();
    const bool ranking = result_.score_kind == "ranking";
    read_scores("probabilities", ranking ? any_number : probability);
    std::vector<Edge> edges;
    for (const JsonField& entry : root_.member("edges").items()) {
      edges.push_back(edge_of(entry));
      score_of(entry);
      read_evidence(entry, edges.back(), false);
      read_direction(entry, edges.back());
      read_effect(entry, edges.back());
    }
    std::ranges::sort(result_.directions, {}, &DirectionEvidence::edge);
    set_graph(std::move(edges));
    if (const auto struck = root_.find("struck_out"))
      for (const JsonField& entry : struck->items()) {
        const Edge edge = edge_of(entry);
        result_.struck_edges.push_back({edge, score_of(entry)});
        read_evidence(entry, edge, true);
      }
    std::ranges::sort(result_.evidence, {}, &EdgeEvidence::edge);
    std::ranges::sort(result_.effects, {}, &EdgeEffect::edge);
    if (const auto price = root_.find("acyclic_price"))
      result_.acyclic_price = {price->member("removed_log_odds").number(),
                               price->member("greedy_log_odds").number(), price->member("exact").truth()};
    read_bootstrap(probability);
    for (const auto& [name, matrix] :
         {std::pair("feedback", &result_.feedback), std::pair("confounded", &result_.confounded)})
      if (const auto told = root_.find(name)) {
        const auto pairs = n > kMostJsonVariables ? read_pairs(*told) : std::nullopt;
        *matrix = pairs ? column(*pairs, name, probability) : told->square(n, probability);
      }
    result_.stacked = !result_.feedback.empty();
    if (const auto manifest = root_.find("manifest"))
      if (const auto stacked = manifest->find("stacked")) result_.stacked = stacked->truth();
    if (const auto samples = root_.find("samples")) {
      result_.samples = static_cast<int>(samples->member("count").whole(1, kMost));
      result_.samples_exact = samples->member("exact").truth();
      const auto pairs = read_pairs(*samples);
      result_.ancestry = pairs ? column(*pairs, "ancestry", probability)
                               : samples->member("ancestry").square(n, probability);
    }
    const JsonField applicability = root_.member("applicability");
    applicability.member("traits").for_each_member([&](const std::string& name, const JsonField& value) {
      result_.traits.emplace_back(name, value.number_or_nan());
    });
    for (const JsonField& remark : applicability.member("findings").items())
      result_.applicability.push_back(
          {remark.member("code").text(), remark.member("message").text(), remark.member("hint").text()});
  }

  // `score` reads the mean of what ranks the edges.
  void read_bootstrap(Entry score) {
    const auto bootstrap = root_.find("bootstrap");
    if (!bootstrap) return;
    const std::size_t n = result_.names.size();
    result_.bootstrap = static_cast<int>(bootstrap->member("repetitions").whole(1, kMost));
    const auto pairs = read_pairs(root_);
    const auto figure = [&](const char* name, Entry entry) {
      return pairs ? column(*pairs, name, entry) : bootstrap->member(name).square(n, entry);
    };
    result_.bootstrap_mean = figure("bootstrap_mean", score);
    // Of a single repetition there is no deviation.
    result_.bootstrap_deviation = figure("bootstrap_deviation", number_or_nan);
    result_.selection_frequency = figure("selection_frequency", probability);
  }

  void set_graph(std::vector<Edge> edges) {
    std::vector<Edge> sorted = edges;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      root_.member("edges").fail(
          fmt::format("{} -> {} is there twice", result_.names[twice->source], result_.names[twice->target]));
    result_.graph = Digraph(static_cast<int>(result_.names.size()), std::move(edges));
  }

  void read_evidence(const JsonField& entry, Edge edge, bool struck) {
    const auto evidence = entry.find("evidence");
    if (!evidence) return;
    const auto number = [&](const char* name) { return evidence->member(name).number_or_nan(); };
    result_.evidence.push_back({edge, evidence->member("rows").size(), number("p"), number("q"),
                                number("shift_p"), number("shift_q"), struck});
  }

  void read_direction(const JsonField& entry, Edge edge) {
    const auto direction = entry.find("direction");
    if (!direction) return;
    const auto number = [&](const char* name) { return direction->member(name).number_or_nan(); };
    const JsonField told_by = direction->member("told_by");
    const auto basis = find_choice(kDirectionNames, told_by.text());
    if (!basis) told_by.fail("is none of " + list_names(kDirectionNames));
    result_.directions.push_back({edge, number("given_p"), number("shape_z"), number("structure_z"), *basis});
  }

  void read_effect(const JsonField& entry, Edge edge) {
    const auto found = entry.find("effect");
    if (!found) return;
    const auto number = [&](const char* name) { return found->member(name).number_or_nan(); };
    const auto if_any = [&](const char* name) {
      const auto value = found->find(name);
      return value ? value->number_or_nan() : kNoNumber;
    };
    EdgeEffect effect;
    effect.edge = edge;
    try {
      effect.kind = effect_kind_named(found->member("kind").text());
    } catch (const InputError& error) {
      found->member("kind").fail(error.what());
    }
    effect.rows = found->member("rows").size();
    effect.size = number("size");
    effect.low = number("low");
    effect.high = number("high");
    effect.graph_low = if_any("graph_low");
    effect.graph_high = if_any("graph_high");
    effect.nonlinear_p = number("nonlinear_p");
    effect.shift = number("shift");
    effect.shift_low = number("shift_low");
    effect.shift_high = number("shift_high");
    result_.effects.push_back(effect);
  }

  void read_method(const JsonField& method) {
    stored_.by_method = true;
    stored_.method = result_.model_name = method.text();
    stored_.graph_class = class_of(root_.member("graph_class"));
    if (!root_.find("score_kind")) result_.score_kind = "ranking";
    result_.device = "cpu";
    result_.passes = 1;
    const std::size_t n = result_.names.size();
    read_scores("scores", any_number);
    stored_.marks = MixedGraph(static_cast<int>(n));
    for (const JsonField& entry : root_.member("edges").items()) {
      const Edge edge = edge_of(entry);
      score_of(entry);
      const JsonField marks = entry.member("edge");
      const std::string text = marks.text();
      const auto mark = [&](char symbol, char arrow) {
        if (symbol != arrow && symbol != 'o' && symbol != '-')
          marks.fail(fmt::format("an edge such as -->, ---, o-> or <-> is expected, found '{}'", text));
        return symbol == arrow ? Mark::kArrow : symbol == 'o' ? Mark::kCircle : Mark::kTail;
      };
      if (text.size() != 3 || text[1] != '-') mark('?', '>');
      if (stored_.marks.adjacent(edge.source, edge.target))
        entry.fail(fmt::format("{} and {} are joined twice", result_.names[edge.source],
                               result_.names[edge.target]));
      stored_.marks.set(edge.source, edge.target, mark(text[0], '<'), mark(text[2], '>'));
      read_effect(entry, edge);
    }
    std::ranges::sort(result_.effects, {}, &EdgeEffect::edge);
    result_.graph = possible_directions(stored_.marks);
    read_bootstrap(any_number);
    if (const auto log = root_.find("log"))
      for (const JsonField& line : log->items()) stored_.log.push_back(line.text());
  }

  static GraphClass class_of(const JsonField& field) {
    std::string accepted;
    for (const GraphClass graph_class : {GraphClass::kDirected, GraphClass::kDag, GraphClass::kCpdag,
                                         GraphClass::kPag, GraphClass::kUndirected}) {
      if (field.text() == graph_class_name(graph_class)) return graph_class;
      accepted += (accepted.empty() ? "" : ", ") + graph_class_name(graph_class);
    }
    field.fail(fmt::format("one of {} is expected, found '{}'", accepted, field.text()));
  }

  void read_removed() {
    for (const JsonField& entry : root_.member("removed_to_break_cycles").items()) {
      const Edge edge = edge_of(entry);
      result_.removed_edges.push_back({edge, score_of(entry)});
    }
  }

  void read_manifest(const JsonField& manifest) {
    RunRecord& record = stored_.record;
    record.command = manifest.member("command").text();
    const JsonField data = manifest.member("data");
    record.data_file = data.member("file").text();
    record.data_sha256 = data.member("sha256").text();
    result_.rows = result_.rows_per_pass = data.member("rows").size();
    if (data.member("columns").size() != result_.names.size())
      data.member("columns").fail(
          fmt::format("{} columns, but {} names", data.member("columns").size(), result_.names.size()));
    if (!stored_.by_method) {
      const JsonField model = manifest.member("model");
      result_.model_name = model.member("name").text();
      result_.model_sha256 = model.member("sha256").text();
      result_.device = manifest.member("device").text();
      result_.precision = manifest.member("precision").text();
      result_.prior_scale = manifest.member("prior_scale").text();
      result_.transform = manifest.member("transform").text();
      if (const auto missing = manifest.find("missing")) {
        result_.missing_cells = missing->member("cells").size();
        result_.missing_rule = missing->member("rule").text();
      }
      result_.rows_per_pass = manifest.member("rows_per_pass").size();
      result_.passes = static_cast<int>(manifest.member("passes").whole(0, kMost));
      result_.views = static_cast<int>(manifest.member("views").whole(0, kMost));
      result_.temperature = manifest.member("temperature").number();
      result_.offset = manifest.member("offset").number();
    }
    if (const auto seconds = manifest.find("seconds"))
      seconds->for_each_member([&](const std::string& stage, const JsonField& time) {
        result_.seconds.emplace_back(stage, time.number());
      });
    if (const auto audit = manifest.find("audit")) {
      audit->items();
      record.audit_json = audit->json().dump();
    }
    if (const auto options = manifest.find("options")) {
      record.options_json = options->json().dump();
      if (const auto knowledge = options->find("knowledge")) read_knowledge(*knowledge);
    }
  }

  std::vector<Edge> numbered_edges(const JsonField& list) const {
    const std::int64_t last = static_cast<std::int64_t>(result_.names.size()) - 1;
    std::vector<Edge> edges;
    for (const JsonField& pair : list.items()) {
      const std::vector<JsonField> ends = pair.items();
      if (ends.size() != 2) pair.fail("a pair of numbers of variables is expected, source and target");
      edges.push_back({static_cast<int>(ends[0].whole(0, last)), static_cast<int>(ends[1].whole(0, last))});
      if (edges.back().source == edges.back().target) pair.fail("an edge from a variable to itself");
    }
    return edges;
  }

  void read_knowledge(const JsonField& field) {
    Knowledge& knowledge = stored_.record.knowledge;
    knowledge.required = numbered_edges(field.member("required"));
    knowledge.forbidden = numbered_edges(field.member("forbidden"));
    for (const JsonField& tier : field.member("tiers").items())
      knowledge.tier_of.push_back(static_cast<int>(tier.whole(-1, kMost)));
    if (!knowledge.tier_of.empty() && knowledge.tier_of.size() != result_.names.size())
      field.member("tiers").fail(
          fmt::format("{} tiers for {} variables", knowledge.tier_of.size(), result_.names.size()));
    for (const JsonField& tier : field.member("closed_tiers").items())
      knowledge.closed_tiers.push_back(static_cast<int>(tier.whole(0, kMost)));
    try {
      knowledge.check(result_.names);
    } catch (const InputError& error) {
      field.fail(error.what());
    }
  }

  JsonField root_;
  StoredResult& stored_;
  DiscoverResult& result_;
  std::map<std::string, int> number_;
};

}  // namespace

MethodOutcome StoredResult::outcome() const {
  return {.result = result, .marks = marks, .graph_class = graph_class, .log = log, .price = {}};
}

StoredResult parse_result(std::string_view text, const std::string& source) {
  const JsonField::Json json = parse_json(text, source);
  const bool named = json.is_object() && json.contains("format") && json["format"].is_string();
  if (!named || json["format"].get<std::string>() != "causcale.discover/1")
    throw InputError(
        fmt::format("{}: it is no result of discover: format is not causcale.discover/1", source));
  StoredResult stored;
  ResultReader(JsonField(json, source), stored).run();
  return stored;
}

StoredResult read_result(const std::string& path) {
  return parse_result(MappedFile(path).text(), path);
}

}  // namespace causcale
