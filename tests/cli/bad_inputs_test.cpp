// A table of bad inputs: each ends with the right exit code and with a first line that names the file, option
// or place. 1: the input is wrong, 2: usage. Never 3 (internal), never a signal. docs/bad_inputs.md is this
// table with the whole lines; CAUSCALE_BAD_INPUTS=docs/bad_inputs.md writes it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "data/archives.h"
#include "support/run_program.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using test::make_npy;

const char kManifest[] =
    R"("manifest": {"command": "discover good.csv", "data": {"file": "good.csv", "sha256": "", "rows": 4, "columns": 3},
"model": {"name": "m", "sha256": "0"}, "device": "cpu", "precision": "fp32", "prior_scale": "raw", "transform": "none",
"rows_per_pass": 4, "passes": 1, "views": 1, "temperature": 1, "offset": 0}})";

std::string network_result(const std::string& names, const std::string& format) {
  return R"({"format": ")" + format + R"(", "names": [)" + names +
         R"(], "probabilities": [[0, 0.7, 0.2], [0.1, 0, 0.6], [0, 0, 0]], "edges": [
{"source": "b", "target": "c", "probability": 0.6}], "removed_to_break_cycles": [],
"applicability": {"traits": {}, "findings": []}, )" +
         kManifest;
}

const std::string kMethodResult =
    R"({"format": "causcale.discover/1", "method": "fci", "graph_class": "PAG", "names": ["a", "b", "c"],
"scores": [[0, 2, 0], [1, 0, 0], [0, 0, 0]], "edges": [{"source": "a", "target": "b", "edge": "o->", "score": 2}],
"removed_to_break_cycles": [], )" +
    std::string(kManifest);

class BadInputs : public testing::Test {
 protected:
  void SetUp() override {
    using namespace std::string_literals;
    const std::string eight(8, 'x');
    const std::pair<const char*, std::string> files[] = {
        {"good.csv", "a,b,c\n1,2,3\n2,4,1\n3,1,2\n4,3,5\n"},
        {"empty.csv", ""},
        {"header.csv", "a,b\n"},
        {"zero_bytes.csv", "\0\0\0"s},
        {"ragged.csv", "a,b\n1,2\n3\n"},
        {"open_quote.csv", "a,b\n\"1,2\n3,4\n"},
        {"twice.csv", "a,b,a\n1,2,3\n4,5,6\n"},
        {"no_rows.npy", make_npy("<f8", "0, 1000000000", "")},
        {"no_columns.npy", make_npy("<f8", "1000000000, 0", "")},
        {"cut.npy", make_npy("<f8", "100, 3", eight)},
        {"absurd.npy", make_npy("<f8", "4294967296, 4294967296, 2", eight)},
        {"objects.npy", make_npy("|O", "1, 1", eight)},
        {"cube.npy", make_npy("<f8", "1, 1, 1", eight)},
        {"big_endian.npy", make_npy(">f8", "1, 1", eight)},
        {"magic.npy", "PK junk junk junk"},
        {"version.npy", "\x93NUMPY\x09\x00\x08\x00{}      "s},
        {"junk.npz", "PK\3\4junk"},
        {"nothing.npz", ""},
        {"junk.h5ad", "\x89HDF\r\n\x1a\njunk"},
        {"text.h5ad", "a,b\n1,2\n"},
        {"short_lines.csv", "a\nb\n"},
        {"number.json", "{\"environments\": 3}"},
        {"cut.json", "{\"environments\": ["},
        {"too_many_rows.json", "{\"environments\": [{\"targets\": [], \"rows\": 9}]}"},
        {"gap.json", "{\"environments\": [{\"targets\": [], \"rows\": 2}]}"},
        {"small_mask.csv", "a,b,c\n0,0,0\n1,0,0\n"},
        {"graph.csv", "a,b\n0,1\n0,0\n"},
        {"list.csv", "source,target\na,b\n"},
        {"not_square.csv", "0,1,0\n0,0,1\n"},
        {"nan.csv", "a,b\n0,nan\n0,0\n"},
        {"to_itself.csv", "source,target\na,a\n"},
        {"edge_twice.csv", "source,target\na,b\na,b\n"},
        {"strangers.csv", "x,y\n0,1\n0,0\n"},
        {"same_names.csv", "a,a\n0,1\n0,0\n"},
        {"no_name.csv", "source,target\na,\n"},
        {"other_order.csv", ",a,b\nb,0,1\na,0,0\n"},
        {"graph_quote.csv", "a,b\n\"a,0,1\nb,0,0\n"},
        {"three_cells.csv", "source,target\na,b,c\n"},
        {"words.csv", "a,b\n0,yes\nno,0\n"},
        {"utf16.csv",
         "\xFF\xFE"
         "a\0,\0b\0\n\0"s},
        {"mac.csv", "a,b\r1,2\r3,4\r"},
        {"infinite.csv", "a,b\n1,inf\n2,3\n3,4\n"},
        {"huge.csv", "a,b,c\n1,1e200,3\n2,4e200,1\n3,1e199,2\n4,3e200,5\n"},
        {"tiny.csv", "a,b,c\n1,1e-200,3\n2,4e-200,1\n3,1e-199,2\n4,3e-200,5\n"},
        {"gap.csv", "a,b,c\n1,2,\n2,4,\n3,1,\n4,3,\n"},
        {"unknown_name.csv", "from,to\na,x\n"},
        {"one_name.csv", "a\n"},
        {"itself.csv", "a;a\n"},
        {"bad_tier.csv", "a,first\n"},
        {"both_ways.csv", "a,b\n"},
        {"no_header.txt", "forbiddirect\na b\n"},
        {"empty.safetensors", ""},
        {"cut.safetensors", "\x10\0\0\0\0\0\0\0{}"s},
        {"no_model.safetensors", "\x02\0\0\0\0\0\0\0{}"s},
        {"result.json", network_result("\"a\", \"b\", \"c\"", "causcale.discover/1")},
        {"later.json", network_result("\"a\", \"b\", \"c\"", "causcale.discover/2")},
        {"empty_name.json", network_result("\"\", \"b\", \"c\"", "causcale.discover/1")},
        {"zero_name.json", network_result("\"a\\u0000\", \"b\", \"c\"", "causcale.discover/1")},
        {"method.json", kMethodResult},
        {"deep.json", "{\"format\": \"causcale.discover/1\", \"x\": " + std::string(100000, '[')},
        {"overflow.json", "{\"format\": \"causcale.discover/1\", \"x\": 1e999}"},
        {"no_table.json", "{\"format\": \"causcale.discover/1\"}"},
        {"links.json", "{\"nodes\": [{\"id\": \"a\"}, {\"id\": 1e999}], \"links\": []}"},
        {"cycle.dagitty", "dag { a -> b -> a }"},
        {"open.dagitty", "dag { a -> \"b"},
        {"itself.dagitty", "dag { a -> a }"},
        {"link.txt", "https://dagitty.net/dags.html?id=x"},
        {"xml.graphml", "<graphml/>"},
        {"no_label.gml", "graph [ node [ id 0 label \"\" ] ]"},
        {"undirected.dagitty", "pdag { a -- b }"},
    };
    for (const auto& [name, content] : files) folder_.write(name, content);
  }

  test::TempFolder folder_;
};

struct Case {
  const char* arguments;  // run in the folder of the files
  int code;
  const char* begins;  // the message, after "causcale: "
};

constexpr Case kCases[] = {
    // Tables.
    {"compare --methods corr none.csv", 1, "none.csv: cannot open: No such file or directory"},
    {"compare --methods corr .", 1, ".: cannot read: Is a directory"},
    {"compare --methods corr /dev/null", 1, "/dev/null: not a regular file"},
    {"compare --methods corr empty.csv", 1, "empty.csv: the file is empty"},
    {"compare --methods corr header.csv", 1, "header.csv: "},
    {"compare --methods corr zero_bytes.csv", 1, "zero_bytes.csv: "},
    {"compare --methods corr ragged.csv", 1, "ragged.csv:3: "},
    {"compare --methods corr open_quote.csv", 1, "open_quote.csv:2: "},
    {"compare --methods corr twice.csv", 1, "twice.csv: "},
    {"compare --methods corr no_rows.npy", 1,
     "no_rows.npy: the table has no rows: its shape is 0 x 1000000000"},
    {"compare --methods corr no_columns.npy", 1, "no_columns.npy: the table has no columns"},
    {"compare --methods corr --transpose no_columns.npy", 1, "no_columns.npy: the table has no columns"},
    {"compare --methods corr cut.npy", 1, "cut.npy: the .npy file is cut off: 1 values of 300"},
    {"compare --methods corr absurd.npy", 1, "absurd.npy: absurd .npy shape"},
    {"compare --methods corr objects.npy", 1, "objects.npy: the array holds Python objects (pickle)"},
    {"compare --methods corr cube.npy", 1, "cube.npy: an array of 3 dimensions where 2"},
    {"compare --methods corr big_endian.npy", 1, "big_endian.npy: .npy type '>f8' is not supported"},
    {"compare --methods corr magic.npy", 1, "magic.npy: not a .npy file (wrong magic)"},
    {"compare --methods corr version.npy", 1, "version.npy: unknown .npy version 9"},
    {"compare --methods corr junk.npz", 1, "junk.npz: not a readable .npz archive"},
    {"compare --methods corr nothing.npz", 1,
     "nothing.npz: not a readable .npz archive: it is shorter than an empty zip archive"},
#ifdef CAUSCALE_HDF5
    {"compare --methods corr junk.h5ad", 1, "junk.h5ad: not a readable HDF5 file"},
    {"compare --methods corr text.h5ad", 1, "text.h5ad: not a readable HDF5 file"},
    {"compare --methods corr none.h5ad", 1, "none.h5ad: cannot open"},
    {"compare --methods corr --transpose junk.h5ad", 2, "--transpose does not apply to .h5ad files"},
#endif
    {"compare --methods corr good.csv --select z", 1, "good.csv: there is no column \"z\""},
    {"compare --methods corr good.csv --exclude a,b,c", 1, "good.csv: no column is left"},
    {"compare --methods corr good.csv --rows 9:", 1, "good.csv: no rows are left"},
    {"compare --methods corr good.csv --rows x", 2, "--rows takes FIRST:END"},
    {"compare --methods corr good.csv --rows 1:x", 2, "--rows takes FIRST:END"},
    {"compare --methods corr good.csv --delimiter ab", 2, "--delimiter takes one character"},
    {"compare --methods corr good.csv --missing never", 2, "--missing: never not in {"},
    // Interventions.
    {"compare --methods corr good.csv --interventions none.csv", 1, "none.csv: cannot open"},
    {"compare --methods corr good.csv --interventions short_lines.csv", 1,
     "short_lines.csv: 2 lines for 4 rows"},
    {"compare --methods corr good.csv --interventions number.json", 1,
     "number.json: the environments should be a list"},
    {"compare --methods corr good.csv --interventions cut.json", 1, "cut.json: not valid JSON"},
    {"compare --methods corr good.csv --interventions too_many_rows.json", 1,
     "too_many_rows.json: environment 0: 9 more rows after row 0 of a table of 4"},
    {"compare --methods corr good.csv --interventions gap.json", 1,
     "gap.json: row 2 belongs to no environment"},
    {"compare --methods corr good.csv --interventions small_mask.csv", 1,
     "small_mask.csv: the mask has 2 rows"},
    {"compare --methods corr good.csv --interventions no_rows.npy", 1, "no_rows.npy: the mask has 0 rows"},
    {"compare --methods corr good.csv --interventions cube.npy", 1, "cube.npy: a mask has 2 dimensions"},
    {"compare --methods corr good.csv --interventions short_lines.csv --label-column a", 2,
     "interventions are given twice"},
    {"compare --methods corr cut.npy --label-column z", 2, "cut.npy: .npy files have no label column"},
    {"compare --methods corr good.csv --index-base 2", 2, "--index-base: Value 2 not in range 0 to 1"},
    {"compare --methods corr good.csv --threads -1", 2, "--threads: Value -1 not in range 0 to 4096"},
    {"compare --methods corr good.csv --truth none.csv", 1, "none.csv: cannot open"},
    // Graphs.
    {"evaluate none.csv graph.csv", 1, "none.csv: cannot open"},
    {"evaluate graph.csv", 2, "truth is required"},
    {"evaluate empty.csv graph.csv", 1, "empty.csv: the file is empty"},
    {"evaluate not_square.csv graph.csv", 1, "not_square.csv: 2 rows of 3 cells are no square matrix"},
    {"evaluate graph.csv not_square.csv", 1, "not_square.csv: 2 rows of 3 cells are no square matrix"},
    {"evaluate nan.csv graph.csv", 1, "nan.csv, line 2, column 2: 'nan' is not a finite number"},
    {"evaluate words.csv graph.csv", 1, "words.csv, line 2, column 2: 'yes' is not a finite number"},
    {"evaluate to_itself.csv graph.csv", 1, "to_itself.csv, line 2: edge from 'a' to itself"},
    {"evaluate edge_twice.csv graph.csv", 1, "edge_twice.csv, line 3: edge a -> b was given before"},
    {"evaluate strangers.csv graph.csv", 1,
     "strangers.csv has 2 variables that graph.csv does not have: x, y"},
    {"evaluate same_names.csv graph.csv", 1, "same_names.csv, line 1: name 'a' occurs twice"},
    {"evaluate no_name.csv graph.csv", 1, "no_name.csv, line 2, column 2: the name of a variable is missing"},
    {"evaluate other_order.csv graph.csv", 1, "other_order.csv, line 2: row 'b' where column 1 is 'a'"},
    {"evaluate graph_quote.csv graph.csv", 1, "graph_quote.csv, line 2: a quote is not closed"},
    {"evaluate three_cells.csv graph.csv", 1, "three_cells.csv, line 2: 3 cells, the header has 2"},
    {"evaluate no_rows.npy graph.csv", 1, "no_rows.npy: shape (0, 1000000000), a graph is a square matrix"},
    {"evaluate cut.npy graph.csv", 1, "cut.npy: the .npy file is cut off"},
    {"evaluate zero_bytes.csv graph.csv", 1, "zero_bytes.csv: neither text nor a .npy file"},
    {"evaluate list.csv list.csv --nodes 1", 1, "list.csv and list.csv name 2 variables, more than the 1"},
    {"evaluate list.csv list.csv --nodes 2000000000", 1,
     "list.csv and list.csv have 2000000000 variables, whose"},
    {"evaluate graph.csv graph.csv --nodes 3", 1, "the matrix has 2 variables, --nodes says 3"},
    {"evaluate graph.csv graph.csv --threshold x", 2, "Could not convert: --threshold = x"},
    // More of tables, and standard input, which is empty here.
    {"compare --methods corr utf16.csv", 1, "utf16.csv: the text is UTF-16; save it as UTF-8"},
    {"compare --methods corr mac.csv", 1, "mac.csv: lines end in a lone carriage return"},
    {"compare --methods corr infinite.csv", 1, "infinite.csv: "},
    {"compare --methods corr huge.csv", 1, "huge.csv: column \"b\": 1e+200 in line 2 is too large"},
    {"discover tiny.csv --method pc", 1, "tiny.csv: column \"b\": its values lie within 9e-200, too close"},
    {"compare --methods corr -", 1, "standard input: the file is empty"},
    {"discover - -q", 1, "standard input: the file is empty"},
    {"audit - -q", 1, "standard input: 1 error found"},
    // Knowledge.
    {"discover good.csv -q --method pc --forbidden none.csv", 1, "none.csv: cannot open"},
    {"discover good.csv -q --method pc --forbidden unknown_name.csv", 1,
     "unknown_name.csv:2: 'x' is not a variable of the table"},
    {"discover good.csv -q --method pc --required one_name.csv", 1,
     "one_name.csv:1: expected two names (from, to), found 1"},
    {"discover good.csv -q --method pc --required itself.csv", 1, "itself.csv:1: 'a' cannot cause itself"},
    {"discover good.csv -q --method pc --tiers bad_tier.csv", 1,
     "bad_tier.csv:1: the tier 'first' is not a whole number"},
    {"discover good.csv -q --method pc --knowledge no_header.txt", 1,
     "no_header.txt: a Tetrad knowledge file starts with the line /knowledge"},
    {"discover good.csv -q --method pc --required both_ways.csv --forbidden both_ways.csv", 1,
     "knowledge: a -> b is both required and forbidden"},
    // Models and options of discover.
    {"discover good.csv -q --model none", 1, "no model named 'none' is installed; there are: "},
    {"discover good.csv -q --model none.safetensors", 1, "model file none.safetensors does not exist"},
    {"discover good.csv -q --model empty.safetensors", 1, "empty.safetensors: "},
    {"discover good.csv -q --model cut.safetensors", 1, "cut.safetensors: "},
    {"discover good.csv -q --model no_model.safetensors", 1, "no_model.safetensors: "},
    {"discover good.csv -q --method pcc", 2, "there is no method \"pcc\"; accepted are: corr, "},
    {"discover good.csv -q --method pc --set alpha=2", 2, "setting alpha: \"2\" is not a number from "},
    {"discover good.csv -q --method pc --set alfa=0.1", 2,
     "pc has no setting \"alfa\"; it accepts: test, alpha, "},
    {"discover good.csv -q --max-memory inf", 2, "--max-memory inf: not a size"},
    {"discover good.csv -q --max-memory -1", 2, "--max-memory -1: a size cannot be negative"},
    {"discover good.csv -q --threshold 2", 2, "the threshold must lie between 0 and 1, not 2"},
    {"discover good.csv -q --bootstrap 1", 2, "--bootstrap takes 0 (none) or at least 2 repetitions, not 1"},
    {"discover good.csv -q -o edges.xyz", 2, "edges.xyz: unknown output format '.xyz': use "},
    {"discover good.csv -q -o good.csv", 2, "good.csv: this file is read; the result would replace it"},
    {"discover good.csv good.csv -q", 2, "2 tables are given: name a folder for the results with --out-dir"},
    {"dicover good.csv", 2, "there is no command 'dicover'"},
    {"discover good.csv --treshold 0.5", 2, "there is no option '--treshold'"},
    // Simulation.
    {"simulate synthetic", 2, "--output is required"},
    {"simulate synthetic --graph tree -o out", 2, "unknown graph model 'tree'; accepted: er, "},
    {"simulate synthetic -n -1 -o out", 2, "number of nodes is -1, but must be at least 1"},
    {"simulate synthetic -m 0 -o out", 2, "number of rows is 0, but must be at least 1"},
    {"simulate synthetic --mechanism cubic -o out", 2, "unknown mechanism 'cubic'; accepted: linear, "},
    {"simulate synthetic --noise-scale nan -o out", 2, "noise scale is nan, but must be 0 or more"},
    {"simulate synthetic --coverage 2 -o out", 2,
     "share of nodes intervened on is 2, but must lie in [0, 1]"},
    {"simulate synthetic --format xml -o out", 2, "--format: xml not in {csv,npy}"},
    // Stored results.
    {"effects none.json --of a --on b", 1, "none.json: cannot open: No such file or directory"},
    {"effects good.csv --of a --on b", 1, "good.csv: 4 rows of 3 cells are no square matrix"},
    {"effects later.json --of a --on b", 1, "later.json: it is no result of discover"},
    {"effects deep.json --of a --on b", 1, "deep.json, line 1: JSON that is nested too deeply"},
    {"effects overflow.json --of a --on b", 1, "overflow.json: "},
    {"effects no_table.json --of a --on b", 1, "no_table.json: names is missing"},
    {"effects empty_name.json --of b --on c", 1,
     "empty_name.json: names[0]: the name of a variable is expected"},
    {"effects zero_name.json --of b --on c", 1,
     "zero_name.json: names[0]: the name of a variable is expected"},
    {"effects result.json --of a", 2, "--on is required"},
    {"effects result.json --of a --on z", 2, "--on z: there is no such variable"},
    {"effects result.json --of a --on a", 2, "cause and outcome are the same variable"},
    {"effects result.json --of a --on b --samples -1", 2, "--samples: Value -1 not in range"},
    {"effects method.json --of a --on b --samples 9", 2, "--samples draws graphs by their probabilities"},
    {"effects result.json --of a --on b --data none.csv", 1, "none.csv: cannot open"},
    {"effects result.json --of a --on b --data header.csv", 1, "header.csv: "},
    {"effects result.json --of a --on b --data huge.csv -q", 1,
     "huge.csv: row 1, column \"b\": 1e+200 is too"},
    {"effects result.json --of a --on b --data gap.csv", 1,
     "gap.csv: column 'c' is a variable of the graph, but not one that can be used: no value at all"},
    {"effects result.json --of a --on b --data -", 1, "standard input: the file is empty"},
    {"effects result.json --of a --on b --no-data --data good.csv", 2, "--data and --no-data contradict"},
    {"samples later.json", 1, "later.json: it is no result of discover"},
    {"samples method.json", 1, "method.json: the scores of method fci rank edges"},
    {"samples result.json --count 0", 2, "--count: Value 0 not in range 1 to 1000000"},
    {"samples result.json --from a", 2, "--from and --to belong together"},
    {"samples result.json --from a --to a", 2, "--from and --to name the same variable"},
    {"samples result.json --from a --to z", 2, "--to z: there is no such variable"},
    {"samples result.json --adjust a", 2, "--adjust needs an effect"},
    {"samples result.json --from a --to c --adjust a", 2, "an adjustment set holds neither"},
    {"samples result.json --out edges.txt", 2, "--out edges.txt: use a name that ends in .csv"},
    {"samples result.json -q --out good.csv/edges.csv", 1,
     "good.csv/edges.csv: cannot write: Not a directory"},
    {"next method.json", 1, "method.json: the scores of method fci rank edges"},
    {"next result.json --count 1", 2, "--count: Value 1 not in range 10 to 1000000"},
    {"check later.json", 1, "later.json: it is no result of discover"},
    {"check method.json --data good.csv", 1, "method.json: a PAG allows for causes that were not measured"},
    {"check result.json --data graph.csv", 1, "graph.csv: there is no column 'c'"},
    {"check result.json --data gap.csv", 1, "gap.csv: column 'c' is a variable of the graph"},
    {"check result.json --data -", 1, "standard input: the file is empty"},
    {"check result.json --alpha 2", 2, "--alpha: Value 2 not in range"},
    {"check result.json --data good.csv --test nope", 2, "setting test: "},
    {"check result.json --tests 0", 2, "--tests: Value 0 not in range 1 to 1000000000"},
    // Graphs of other programs.
    {"convert none.dagitty - --to edges", 1, "none.dagitty: cannot open"},
    {"convert good.csv - --to edges", 1, "good.csv: 4 rows of 3 cells are no square matrix"},
    {"convert later.json - --to edges", 1, "later.json: it is no result of discover"},
    {"convert links.json - --to edges", 1, "links.json: "},
    {"convert deep.json - --to edges", 1, "deep.json, line 1: JSON that is nested too deeply"},
    {"convert open.dagitty - --to edges", 1, "open.dagitty, line 1"},
    {"convert itself.dagitty - --to edges", 1, "itself.dagitty"},
    {"convert no_label.gml - --to edges", 1, "no_label.gml, line 1: the label of this node is empty"},
    {"convert xml.graphml - --to edges", 1, "xml.graphml: GraphML and other XML are not read"},
    {"convert link.txt - --to edges", 1, "link.txt: a link holds only the number of a model"},
    {"convert cycle.dagitty - --to bnlearn-model", 1, "cycle.dagitty: the graph has a directed cycle"},
    {"convert cycle.dagitty - --to causcale", 2, "the format causcale is that of discover's results"},
    {"convert cycle.dagitty - --to nope", 2, "--to nope: no such format"},
    {"convert cycle.dagitty -", 2, "-: the name leaves the format open"},
    {"convert cycle.dagitty cycle.dagitty", 2, "cycle.dagitty: this file is read"},
    {"convert result.json - --to edges --threshold nan", 2, "--threshold nan: a number is needed"},
    {"discover good.csv -q --method pc --required undirected.dagitty", 1,
     "undirected.dagitty: a --- b has no direction that could be required"},
    {"discover - good.csv -q", 2, "2 tables are given"},
    {"discover - good.csv -q --out-dir out", 2, "standard input (-) cannot be one of several tables"},
    {"discover - -q", 1, "standard input: the file is empty"},
    {"simulate synthetic --count 0 -o out", 2, "--count: Value 0 not in range 1 to 100000000"},
    {"simulate synthetic -n 3 -m 5 -o good.csv", 1, "good.csv/data.csv: cannot write: Not a directory"},
};

// The line of the message in the table: blanks instead of what Markdown would take for a cell's end.
std::string table_row(const Case& one, const std::string& output) {
  const std::size_t at = output.find("causcale: ");
  std::string line = at == output.npos ? output : output.substr(at + 10);
  line = line.substr(0, line.find('\n'));
  std::string row = "| `" + std::string(one.arguments) + "` | " + std::to_string(one.code) + " | ";
  for (const char c : line) row += c == '|' ? ' ' : c;
  return row + " |\n";
}

TEST_F(BadInputs, EachHasItsCodeAndItsMessage) {
  const char* document = CAUSCALE_SOURCE_DIR "/docs/bad_inputs.md";
  std::ifstream in(document);
  const std::string known{std::istreambuf_iterator<char>(in), {}};
  const char* write = std::getenv("CAUSCALE_BAD_INPUTS");
  std::string table;
  for (const Case& one : kCases) {
    // From within the folder, so that messages hold file names alone.
    test::Outcome outcome;
    const std::string command =
        "cd '" + (folder_ / "").string() + "' && '" CAUSCALE_BINARY "' " + one.arguments + " 2>&1 </dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe))
      outcome.output.append(buffer, count);
    const int status = pclose(pipe);
    ASSERT_TRUE(WIFEXITED(status)) << one.arguments;
    EXPECT_EQ(WEXITSTATUS(status), one.code) << one.arguments << "\n" << outcome.output;
    const std::string expected = std::string("causcale: ") + one.begins;
    EXPECT_TRUE(outcome.output.starts_with(expected) ||
                outcome.output.find("\n" + expected) != std::string::npos)
        << one.arguments << "\nexpected: " << expected << "\nfound: " << outcome.output;
    const std::string row = table_row(one, outcome.output);
    table += row;
    // The command and its code; the end of a message may differ between machines (folders, sizes of memory).
    if (!write) {
      EXPECT_TRUE(test::contains(known, row.substr(0, row.find("` |") + 7)));
    }
  }
  if (write)
    std::ofstream(write)
        << "# Bad inputs\n"
           "What the program answers to inputs that are wrong: exit code 1 for files, 2 for the command "
           "line; never 3 (internal error) and\n"
           "never a signal. The first line of the message stands after `causcale: `. The table is "
           "written and checked by a test\n"
           "(`tests/cli/bad_inputs_test.cpp`), which also has the files.\n\n"
           "| `causcale ...` | code | first line |\n|---|---:|---|\n"
        << table;
}

}  // namespace
}  // namespace causcale
