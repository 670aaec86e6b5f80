#include "learn/config/read_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "causcale/error.h"

namespace causcale {

using nlohmann::json;

ModelConfig read_model(const json& object, const std::string& where) {
  const auto text_of = [](const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::map<std::string, std::string> stated;
  if (object.is_object() && object.contains("architecture"))
    stated["architecture"] = text_of(object["architecture"]);
  const Architecture architecture = stated_architecture(stated, where);
  std::map<std::string, std::string> metadata = ModelConfig::published(architecture).to_metadata();
  metadata["architecture"] = architecture_name(architecture);
  if (architecture == Architecture::kCauScale) {
    metadata["outputs"] = pair_output_names({});
    metadata["reference_columns"] = "0";
  }
  for (const auto& [key, value] : object.items()) {
    if (!metadata.contains(key) || key == "format") {
      std::vector<std::string> accepted;
      for (const auto& entry : metadata)
        if (entry.first != "format") accepted.push_back(entry.first);
      throw InputError(fmt::format("{}: unknown key \"{}\"{}; accepted: {}", where, key,
                                   architecture == Architecture::kCauScale
                                       ? ""
                                       : " of the architecture " + architecture_name(architecture),
                                   fmt::join(accepted, ", ")));
    }
    metadata[key] = text_of(value);
  }
  ModelConfig model = ModelConfig::from_metadata(metadata, where);
  model.check();
  return model;
}

}  // namespace causcale
