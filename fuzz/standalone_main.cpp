// Runs a fuzz target without libFuzzer: changes the target's seed inputs at random, with a fixed seed, so
// that an ordinary sanitizer build can do it as a test.
//   fuzz_TARGET [iterations] [seed]
//   fuzz_TARGET FILE-OR-FOLDER...        to run inputs once
//   fuzz_TARGET --write-seeds FOLDER     to have the seed inputs as files
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/random.h"
#include "target.h"

namespace {

using causcale::RandomStream;

std::size_t below(RandomStream& random, std::size_t bound) {
  return bound == 0 ? 0 : random.below(static_cast<std::uint32_t>(bound));
}

// One small change.
void mutate(std::string& input, const std::vector<std::string>& seeds, const std::vector<std::string>& words,
            RandomStream& random) {
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  const std::size_t at = below(random, input.size() + 1);
  const std::size_t length = 1 + below(random, std::min<std::size_t>(64, input.size() + 1));
  switch (random.below(9)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random.below(8)));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(random.below(256));
      break;
    case 2:
      if (at < input.size()) input[at] = static_cast<char>(random.coin() ? 0xFF : 0x00);
      break;
    case 3:
      input.erase(at, length);
      break;
    case 4:
      input.insert(at, input.substr(below(random, input.size() + 1), length));
      break;
    case 5:
      input.insert(at, length, static_cast<char>(random.below(256)));
      break;
    case 6:
      if (!words.empty()) input.insert(at, words[below(random, words.size())]);
      break;
    case 7: {
      const std::string& other = seeds[below(random, seeds.size())];
      input = input.substr(0, at) + other.substr(below(random, other.size() + 1));
      break;
    }
    default:
      if (random.coin(0.2)) input.resize(at);
  }
  if (input.size() > kLongest) input.resize(kLongest);
}

void run(const std::string& input) {
  // A copy of exactly this size, so that a sanitizer sees any step beyond it.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--write-seeds") {
    std::filesystem::create_directories(argv[2]);
    int number = 0;
    for (const std::string& input : causcale::fuzz::seed_inputs())
      std::ofstream(std::filesystem::path(argv[2]) / ("seed_" + std::to_string(number++)), std::ios::binary)
          << input;
    return 0;
  }
  if (argc > 1 && std::filesystem::exists(argv[1])) {
    std::vector<std::filesystem::path> files;
    for (int a = 1; a < argc; ++a) {
      if (!std::filesystem::is_directory(argv[a])) {
        files.emplace_back(argv[a]);
        continue;
      }
      for (const auto& entry : std::filesystem::directory_iterator(argv[a])) files.push_back(entry.path());
    }
    for (const std::filesystem::path& file : files) {
      std::ifstream in(file, std::ios::binary);
      run({std::istreambuf_iterator<char>(in), {}});
    }
    std::printf("%zu files, no fault\n", files.size());
    return 0;
  }
  const unsigned long iterations = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
  const std::vector<std::string> seeds = causcale::fuzz::seed_inputs(), words = causcale::fuzz::dictionary();
  for (const std::string& input : seeds) run(input);
  const auto keep_as = std::filesystem::temp_directory_path() / "fuzz_last_input";
  const bool keep = std::getenv("FUZZ_KEEP_LAST") != nullptr;  // to have the input at hand after a crash
  for (unsigned long i = 0; i < iterations; ++i) {
    RandomStream random(seed, static_cast<std::uint32_t>(i), 0);
    std::string input = seeds[below(random, seeds.size())];
    for (std::uint32_t changes = 1 + random.below(6); changes > 0; --changes)
      mutate(input, seeds, words, random);
    if (keep) std::ofstream(keep_as, std::ios::binary) << input;
    run(input);
  }
  std::printf("%lu inputs, no fault\n", iterations);
  return 0;
}
