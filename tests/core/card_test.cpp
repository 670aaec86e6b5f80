#include "core/card.h"

#include <gtest/gtest.h>

#include "causcale/error.h"
#include "core/installed.h"
#include "core/weights.h"

namespace causcale {
namespace {

using Metadata = std::map<std::string, std::string>;

Metadata with(const std::string& key, const std::string& value) {
  Metadata metadata = ModelConfig().to_metadata();
  if (!key.empty()) metadata[key] = value;
  return metadata;
}

TEST(ModelCard, SilentMetadataMeanTheDefaults) {
  const ModelCard card = parse_card(with("", ""), "file");
  EXPECT_EQ(card.config, ModelConfig());
  EXPECT_EQ(card.prior_units, PriorUnits::kStandardized);
  EXPECT_EQ(card.transform, ValueTransform::kNone);
  EXPECT_EQ(card.usual_rows, 1000u);
  EXPECT_EQ(card.views, 1);
  EXPECT_EQ(card.scales.of(1).temperature, 1.0);
  EXPECT_EQ(card.scales.mean_of, 1);
  for (const PairOutput output : {PairOutput::kFeedback, PairOutput::kConfounded}) {
    EXPECT_EQ(scales_of(card, output).of(4).temperature, 1.0);
    EXPECT_EQ(scales_of(card, output).of(4).offset, 0.0);
  }
}

TEST(ModelCard, OutputsHaveScalesOfTheirOwn) {
  Metadata metadata = with("outputs", "confounded,feedback");
  metadata.insert({{"temperature", "0.9"},
                   {"feedback_temperature", "1.5"},
                   {"feedback_offset", "-0.5"},
                   {"confounded_temperature", "2"},
                   {"confounded_offset", "0.25"},
                   {"confounded_mean_of", "4"},
                   {"confounded_mean_temperature", "3"},
                   {"confounded_mean_offset", "0.75"}});
  const ModelCard card = parse_card(metadata, "file");
  EXPECT_EQ(card.config.outputs, (PairOutputs{PairOutput::kConfounded, PairOutput::kFeedback}));
  EXPECT_EQ(card.scales.of(4).temperature, 0.9);
  EXPECT_EQ(card.scales.of(1).offset, 0.0);
  // Without a scale of means that of one pass counts for them, too.
  EXPECT_EQ(card.feedback.of(4).temperature, 1.5);
  EXPECT_EQ(card.feedback.of(4).offset, -0.5);
  EXPECT_EQ(card.confounded.of(1).temperature, 2.0);
  EXPECT_EQ(card.confounded.of(1).offset, 0.25);
  EXPECT_NEAR(card.confounded.of(4).temperature, 3.0, 1e-12);
  EXPECT_NEAR(card.confounded.of(4).offset, 0.75, 1e-12);
  EXPECT_NEAR(card.confounded.of(2).offset, 0.25 + 0.5 * 2 / 3, 1e-12);
}

TEST(ModelCard, EveryFieldIsRead) {
  Metadata metadata = with("prior_scale", "raw");
  metadata.insert({{"transform", "log1p"},
                   {"usual_rows", "5000"},
                   {"views", "4"},
                   {"temperature", "0.9"},
                   {"mean_of", "4"},
                   {"mean_temperature", "0.8"},
                   {"mean_offset", "-0.25"},
                   {"trained_columns", "3 77"},
                   {"training_minutes", "a remark"}});
  const ModelCard card = parse_card(metadata, "file");
  EXPECT_EQ(card.prior_units, PriorUnits::kRaw);
  EXPECT_EQ(card.transform, ValueTransform::kLog1p);
  EXPECT_EQ(card.usual_rows, 5000u);
  EXPECT_EQ(card.views, 4);
  EXPECT_EQ(card.scales.temperature, 0.9);
  EXPECT_EQ(card.scales.of(4).temperature, 0.8);
  EXPECT_EQ(card.scales.of(4).offset, -0.25);
  EXPECT_EQ(card.ranges.at("columns").high, 77);
  EXPECT_EQ(card.metadata.at("training_minutes"), "a remark");
}

TEST(ModelCard, MalformedValuesNameFileKeyAndWhatIsAccepted) {
  const std::vector<std::pair<std::string, std::string>> wrong = {{"views", "four"},
                                                                  {"usual_rows", "1,000"},
                                                                  {"usual_rows", "1"},
                                                                  {"prior_scale", "Raw"},
                                                                  {"prior_scale", "auto"},
                                                                  {"transform", "log"},
                                                                  {"views", "0"},
                                                                  {"views", "1001"},
                                                                  {"views", "2.5"},
                                                                  {"temperature", "warm"},
                                                                  {"temperature", "0"},
                                                                  {"temperature", "inf"},
                                                                  {"mean_temperature", "-1"},
                                                                  {"mean_offset", "nan"},
                                                                  {"mean_of", "0"},
                                                                  {"trained_rows", "many"},
                                                                  {"trained_rows", "9 3"},
                                                                  {"trained_tails", "1 2 3"},
                                                                  {"blocks", "ten"},
                                                                  {"pooling", "median"},
                                                                  {"format", "gguf"},
                                                                  {"outputs", "loops"},
                                                                  {"outputs", "feedback,feedback"},
                                                                  {"outputs", ""},
                                                                  {"feedback_temperature", "0"},
                                                                  {"feedback_offset", "inf"},
                                                                  {"confounded_temperature", "hot"},
                                                                  {"confounded_mean_of", "1001"},
                                                                  {"confounded_mean_temperature", "-2"},
                                                                  {"feedback_mean_offset", "nan"}};
  for (const auto& [key, value] : wrong) {
    try {
      parse_card(with(key, value), "models/this.safetensors");
      ADD_FAILURE() << key << " = " << value << " was taken";
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("models/this.safetensors"), std::string::npos) << message;
      EXPECT_NE(message.find("'" + key + "'"), std::string::npos) << message;
      EXPECT_NE(message.find("'" + value + "'"), std::string::npos) << message;
    }
  }
}

TEST(ModelCard, ShippedModelsHaveSoundCards) {
  for (const InstalledModel& model : installed_models()) {
    core::WeightFile file(model.path);
    core::read_weights(file);
    const ModelCard card = parse_card(file.metadata(), model.path.string());
    EXPECT_GE(card.views, 1);
    EXPECT_TRUE(card.ranges.contains("columns"));
  }
}

}  // namespace
}  // namespace causcale
