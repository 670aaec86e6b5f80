#include "core/config.h"

#include <fmt/format.h>

#include <charconv>

#include "base/name_table.h"
#include "causcale/error.h"

namespace causcale {
namespace {

constexpr NameTable<Architecture, 3> kArchitectureNames{{
    {Architecture::kCauScale, "causcale"},
    {Architecture::kAvici, "avici"},
    {Architecture::kSea, "sea"},
}};
constexpr NameTable<Estimator, 4> kEstimatorNames{{
    {Estimator::kPc, "pc"},
    {Estimator::kFci, "fci"},
    {Estimator::kGes, "ges"},
    {Estimator::kGies, "gies"},
}};
constexpr NameTable<Pooling, 4> kPoolingNames{{
    {Pooling::kAverage, "average"},
    {Pooling::kMax, "max"},
    {Pooling::kStrided, "strided"},
    {Pooling::kNone, "none"},
}};
constexpr NameTable<AttentionKind, 2> kAttentionNames{{
    {AttentionKind::kTied, "tied"},
    {AttentionKind::kVanilla, "vanilla"},
}};
constexpr NameTable<HeadKind, 2> kHeadNames{{
    {HeadKind::kPairwise, "pairwise"},
    {HeadKind::kVanilla, "vanilla"},
}};
constexpr NameTable<bool, 2> kSwitchNames{{
    {true, "true"},
    {false, "false"},
}};
constexpr NameTable<ScoreScaling, 4> kScalingNames{{
    {{true, true}, "rows,cols"},
    {{true, false}, "rows"},
    {{false, true}, "cols"},
    {{false, false}, "none"},
}};

// The metadata of one file, with error messages that name the file and the key.
class Reader {
 public:
  Reader(const std::map<std::string, std::string>& metadata, const std::string& file)
      : metadata_(metadata), file_(file) {}

  // What `parse` makes of the text; it throws UsageError.
  template <class Parse, class Value>
  void parsed(const char* key, const Parse& parse, Value& value) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) return;
    try {
      value = parse(found->second);
    } catch (const UsageError& error) {
      throw InputError(
          fmt::format("{}: metadata key '{}' is '{}': {}", file_, key, found->second, error.what()));
    }
  }

  void integer(const char* key, int& value, bool required) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) {
      if (required) throw InputError(fmt::format("{}: the metadata lack the key '{}'", file_, key));
      return;
    }
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw InputError(
          fmt::format("{}: metadata key '{}' is '{}', expected a whole number", file_, key, text));
  }

  template <class Choice, std::size_t N>
  void choice(const char* key, const NameTable<Choice, N>& names, Choice& value) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) return;
    std::string accepted;
    for (const auto& [candidate, name] : names) {
      if (found->second == name) {
        value = candidate;
        return;
      }
      accepted += fmt::format("{}'{}'", accepted.empty() ? "" : ", ", name);
    }
    throw InputError(
        fmt::format("{}: metadata key '{}' is '{}', accepted are {}", file_, key, found->second, accepted));
  }

 private:
  const std::map<std::string, std::string>& metadata_;
  const std::string& file_;
};

void read_causcale(const Reader& reader, ModelConfig& config) {
  reader.integer("reduction_k", config.reduction_k, false);
  reader.integer("reduction_r", config.reduction_r, false);
  reader.choice("pooling", kPoolingNames, config.pooling);
  reader.choice("scale_data", kScalingNames, config.scale_data);
  reader.choice("scale_data2graph", kScalingNames, config.scale_data2graph);
  reader.choice("scale_graph", kScalingNames, config.scale_graph);
  reader.choice("attention", kAttentionNames, config.attention);
  reader.choice("head", kHeadNames, config.head);
  reader.choice("use_prior", kSwitchNames, config.use_prior);
  reader.choice("use_graph_stream", kSwitchNames, config.use_graph_stream);
}

void read_subsets(const Reader& reader, SubsetOptions& subsets) {
  reader.choice("estimator", kEstimatorNames, subsets.estimator);
  reader.integer("subset_variables", subsets.variables, true);
  reader.integer("subset_rows", subsets.rows, true);
  reader.integer("training_subsets", subsets.training_count, true);
  reader.integer("subsets", subsets.count, true);
}

void require(bool condition, const char* field, long long value, const char* accepted) {
  if (!condition)
    throw InputError(fmt::format("model configuration: {} is {}, accepted: {}", field, value, accepted));
}

}  // namespace

void ModelConfig::check() const {
  require(blocks >= 1 && blocks <= 1000, "blocks", blocks, "1 to 1000");
  require(embed_dim >= 1 && embed_dim <= 65536, "embed_dim", embed_dim, "1 to 65536");
  if (architecture == Architecture::kAvici) {
    require(heads >= 1 && heads <= 65536, "heads", heads, "1 to 65536");
    require(key_dim >= 1 && key_dim <= 65536, "key_dim", key_dim, "1 to 65536");
    require(channels.pairs.empty(), "pair_channels", channels.pair_width(), "none, avici takes tables alone");
  } else {
    require(heads >= 1 && embed_dim % heads == 0, "heads", heads, "a divisor of embed_dim");
  }
  if (architecture == Architecture::kSea) {
    require(subsets.variables >= 2 && subsets.variables <= 20, "subset_variables", subsets.variables,
            "2 to 20");
    require(subsets.rows >= 10 && subsets.rows <= 1 << 24, "subset_rows", subsets.rows, "10 to 16777216");
    require(subsets.training_count >= 1 && subsets.training_count <= 1 << 16, "training_subsets",
            subsets.training_count, "1 to 65536");
    require(subsets.count >= 1 && subsets.count <= 1 << 16, "subsets", subsets.count, "1 to 65536");
    require(channels.pairs.empty(), "pair_channels", channels.pair_width(), "none with sea");
    require(channels.data.empty(), "data_channels", channels.data_width() - 2, "none with sea");
  }
  require(outputs.empty() || (architecture == Architecture::kCauScale && head == HeadKind::kPairwise),
          "outputs", static_cast<long long>(outputs.size()), "none without the pairwise head of causcale");
  require(ffn_dim >= 1 && ffn_dim <= 1 << 20, "ffn_dim", ffn_dim, "1 to 1048576");
  require(reduction_k >= 1, "reduction_k", reduction_k, "1 or more");
  require(reduction_r >= 1, "reduction_r", reduction_r, "1 or more");
}

ModelConfig ModelConfig::published(Architecture architecture) {
  ModelConfig config;
  config.architecture = architecture;
  if (architecture == Architecture::kAvici) {
    config.blocks = 8;
    config.heads = 8;
    config.pooling = Pooling::kNone;
  }
  if (architecture == Architecture::kSea) {
    config.blocks = 4;
    config.embed_dim = 64;
    config.heads = 8;
    config.ffn_dim = 8;
    config.pooling = Pooling::kNone;
  }
  return config;
}

std::map<std::string, std::string> ModelConfig::to_metadata() const {
  if (architecture == Architecture::kAvici)
    return {{"format", "causcale"},
            {"architecture", name_of(kArchitectureNames, architecture)},
            {"blocks", std::to_string(blocks)},
            {"embed_dim", std::to_string(embed_dim)},
            {"heads", std::to_string(heads)},
            {"key_dim", std::to_string(key_dim)},
            {"ffn_dim", std::to_string(ffn_dim)},
            {"data_channels", data_channel_names(channels)}};
  if (architecture == Architecture::kSea)
    return {{"format", "causcale"},
            {"architecture", name_of(kArchitectureNames, architecture)},
            {"blocks", std::to_string(blocks)},
            {"embed_dim", std::to_string(embed_dim)},
            {"heads", std::to_string(heads)},
            {"ffn_dim", std::to_string(ffn_dim)},
            {"estimator", name_of(kEstimatorNames, subsets.estimator)},
            {"subset_variables", std::to_string(subsets.variables)},
            {"subset_rows", std::to_string(subsets.rows)},
            {"training_subsets", std::to_string(subsets.training_count)},
            {"subsets", std::to_string(subsets.count)}};
  std::map<std::string, std::string> metadata = {
      {"format", "causcale"},
      {"blocks", std::to_string(blocks)},
      {"embed_dim", std::to_string(embed_dim)},
      {"heads", std::to_string(heads)},
      {"ffn_dim", std::to_string(ffn_dim)},
      {"reduction_k", std::to_string(reduction_k)},
      {"reduction_r", std::to_string(reduction_r)},
      {"pooling", name_of(kPoolingNames, pooling)},
      {"scale_data", name_of(kScalingNames, scale_data)},
      {"scale_data2graph", name_of(kScalingNames, scale_data2graph)},
      {"scale_graph", name_of(kScalingNames, scale_graph)},
      {"attention", name_of(kAttentionNames, attention)},
      {"head", name_of(kHeadNames, head)},
      {"use_prior", name_of(kSwitchNames, use_prior)},
      {"use_graph_stream", name_of(kSwitchNames, use_graph_stream)},
      {"data_channels", data_channel_names(channels)},
      {"pair_channels", pair_channel_names(channels)}};
  // Files of models without any stay as they were before there were outputs.
  if (!outputs.empty()) metadata["outputs"] = pair_output_names(outputs);
  return metadata;
}

ModelConfig ModelConfig::from_metadata(const std::map<std::string, std::string>& metadata,
                                       const std::string& file) {
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != "causcale")
    throw InputError(fmt::format("{}: not a CauScale model: metadata key 'format' is {}, expected 'causcale'",
                                 file, format == metadata.end() ? "missing" : "'" + format->second + "'"));
  const Reader reader(metadata, file);
  ModelConfig config = published(stated_architecture(metadata, file));
  reader.integer("blocks", config.blocks, true);
  reader.integer("embed_dim", config.embed_dim, true);
  reader.integer("heads", config.heads, true);
  reader.integer("ffn_dim", config.ffn_dim, true);
  reader.parsed("data_channels", parse_data_channels, config.channels.data);
  reader.parsed("pair_channels", parse_pair_channels, config.channels.pairs);
  reader.parsed("outputs", parse_pair_outputs, config.outputs);
  if (config.architecture == Architecture::kAvici)
    reader.integer("key_dim", config.key_dim, true);
  else if (config.architecture == Architecture::kSea)
    read_subsets(reader, config.subsets);
  else
    read_causcale(reader, config);
  try {
    config.check();
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
  return config;
}

std::string architecture_name(Architecture architecture) {
  return name_of(kArchitectureNames, architecture);
}

Architecture architecture_named(const std::string& name) {
  return choice_named(kArchitectureNames, name, "architecture");
}

std::string estimator_name(Estimator estimator) {
  return name_of(kEstimatorNames, estimator);
}

Architecture stated_architecture(const std::map<std::string, std::string>& metadata,
                                 const std::string& file) {
  Architecture architecture = Architecture::kCauScale;
  Reader(metadata, file).choice("architecture", kArchitectureNames, architecture);
  return architecture;
}

}  // namespace causcale
