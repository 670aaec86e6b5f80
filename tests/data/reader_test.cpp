#include "data/reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "archives.h"
#include "base/npy.h"
#include "support/temp_folder.h"

namespace causcale {
namespace {

using namespace test;
using Names = std::vector<std::string>;
using Regimes = std::vector<std::vector<int>>;
using Numbers = std::vector<int>;

const Matrix<double> kCells(5, 3, {1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0, 0, 6, 0, 7});
const Regimes kRegimes{{}, {0}, {1, 2}, {2}};
const Numbers kRows{0, 1, 2, 0, 3};

std::string read_error(const std::filesystem::path& path, const ReadOptions& options = {}) {
  return error_of([&] { read_dataset(path, options); });
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Every beginning of a good file must be refused with a message, whatever is cut off.
void expect_every_cut_refused(const TempFolder& folder, const std::filesystem::path& good, std::size_t step) {
  const std::string content = content_of(good);
  for (std::size_t size = 0; size < content.size(); size += step) {
    const auto cut =
        folder.write("cut" + good.extension().string(), std::string_view(content).substr(0, size));
    EXPECT_FALSE(read_error(cut).empty()) << good << " cut to " << size << " of " << content.size();
  }
}

TEST(Reader, TableWithInterventionsFile) {
  const TempFolder folder;
  ReadOptions options;
  options.interventions.file = folder.write("i.csv", "\nA\nB,C\n\nC\n");
  const Dataset data =
      read_dataset(folder.write("d.csv", "A,B,C\n1,0,2\n0,0,3\n4,5,0\n0,0,0\n6,0,7\n"), options);
  EXPECT_EQ(data.table.names, (Names{"A", "B", "C"}));
  EXPECT_EQ(data.table.values, kCells);
  EXPECT_EQ(data.interventions.regimes, kRegimes);
  EXPECT_EQ(data.interventions.regime_of_row, kRows);
}

TEST(Reader, LabelColumn) {
  const TempFolder folder;
  const auto path = folder.write("d.csv", "A,what,B,C\n1,obs,0,2\n0,A,0,3\n4,\"B,C\",5,0\n0,,0,0\n6,C,0,7\n");
  ReadOptions options;
  options.label_column = "what";
  const Dataset data = read_dataset(path, options);
  EXPECT_EQ(data.table.values, kCells);
  EXPECT_EQ(data.interventions.regimes, kRegimes);
  EXPECT_EQ(data.interventions.regime_of_row, kRows);
  options.interventions.file = path;
  EXPECT_TRUE(contains(read_error(path, options), "given twice"));
}

TEST(Reader, RowsThatGoTakeTheirInterventionsWithThem) {
  const TempFolder folder;
  const auto path = folder.write("d.csv", "A,B\n1,1\n2,\n3,3\n4,4\n,5\n6,6\n");
  ReadOptions options;
  options.interventions.file = folder.write("i.csv", "A\nA\nB\n\nB\nA,B\n");
  options.missing = MissingPolicy::kDrop;
  options.row_begin = 1;
  const Dataset data = read_dataset(path, options);
  EXPECT_EQ(data.table.values, Matrix<double>(3, 2, {3, 3, 4, 4, 6, 6}));
  EXPECT_EQ(data.interventions.regimes, (Regimes{{}, {0, 1}, {1}}));
  EXPECT_EQ(data.interventions.regime_of_row, (Numbers{2, 0, 1}));
  options.row_end = 3;
  EXPECT_EQ(read_dataset(path, options).table.values, Matrix<double>(1, 2, {3, 3}));
  options.row_begin = 6;
  options.row_end = 9;
  EXPECT_TRUE(contains(read_error(path, options), "no rows are left"));
}

TEST(Reader, MissingPolicies) {
  const TempFolder folder;
  const auto path = folder.write("d.csv", "A,B\n1,1\n2,\n3,3\n");
  EXPECT_TRUE(contains(read_error(path), "d.csv:3: column \"B\": the value is missing"));
  ReadOptions options;
  options.missing = MissingPolicy::kMean;
  EXPECT_EQ(read_dataset(path, options).table.values(1, 1), 2.0);
  EXPECT_EQ(read_dataset(folder.write("all.csv", "A,B\n1,\n2,\n"), options).table.names, (Names{"A"}));
  options.missing_markers = {"-999"};
  EXPECT_EQ(read_dataset(folder.write("m.csv", "A,B\n1,1\n-999.0,4\n5,3\n"), options).table.values(1, 0),
            3.0);
  EXPECT_TRUE(contains(read_error(folder.write("inf.csv", "A,B\n1,1\n2,-inf\n")),
                       "inf.csv:3: column \"B\": the value is infinite"));
  EXPECT_FALSE(read_error(folder.write("big.csv", "A,B\n1,1\n2,1e999\n")).empty());
}

TEST(Reader, NotesInsteadOfErrors) {
  const TempFolder folder;
  std::string text = "A,B,B\n0.5,1,\n";
  for (int r = 1; r < 20; ++r)
    text += r % 7 == 3 ? ",inf,3\n" : r == 9 ? "oops,5,6\n" : std::to_string(r) + ",5,6\n";
  ReadNotes notes;
  const Dataset data = read_dataset(folder.write("d.csv", text), {}, &notes);
  EXPECT_EQ(data.table.rows(), 20u);
  ASSERT_EQ(notes.text_cells.size(), 1u);
  EXPECT_EQ(notes.text_cells[0].text, "\"oops\"");
  EXPECT_EQ(notes.text_cells[0].line, 11u);
  EXPECT_EQ(notes.text_cells[0].count, 1u);
  ASSERT_EQ(notes.missing_cells.size(), 2u);  // the text cell is none of them
  EXPECT_EQ(notes.missing_cells[0].line, 5u);
  EXPECT_EQ(notes.missing_cells[0].count, 3u);
  EXPECT_EQ(notes.missing_cells[1].line, 2u);
  ASSERT_EQ(notes.infinite_cells.size(), 1u);
  EXPECT_EQ(notes.infinite_cells[0].line, 5u);
  EXPECT_EQ(notes.complete_rows, 16u);
  EXPECT_EQ(notes.line_of_row.size(), 20u);
}

TEST(Reader, RepeatedNames) {
  const TempFolder folder;
  EXPECT_TRUE(contains(read_error(folder.write("d.csv", "A,B,A\n1,2,3\n4,5,6\n")),
                       "columns 0 and 2 have the same name \"A\""));
}

TEST(Reader, Npy) {
  const TempFolder folder;
  const auto path = folder.write("d.npy", format_npy(kCells));
  const Dataset data = read_dataset(path, {});
  EXPECT_EQ(data.table.values, kCells);
  EXPECT_EQ(data.table.names, (Names{"X0", "X1", "X2"}));
  EXPECT_TRUE(data.interventions.observational());
  EXPECT_EQ(data.interventions.regime_of_row.size(), 5u);
  ReadOptions options;
  options.transpose = true;
  options.select = {"X0", "4"};
  EXPECT_EQ(read_dataset(path, options).table.values, Matrix<double>(3, 2, {1, 6, 0, 0, 2, 7}));

  const auto fortran =
      folder.write("f.npy", make_npy("<i2", "2, 3", raw_bytes<std::int16_t>({1, 4, 2, 5, 3, -6}), true));
  EXPECT_EQ(read_dataset(fortran, {}).table.values, Matrix<double>(2, 3, {1, 2, 3, 4, 5, -6}));
  expect_every_cut_refused(folder, path, 1);
  EXPECT_TRUE(contains(read_error(folder.write("v.npy", make_npy("<f4", "3,", raw_bytes<float>({1, 2, 3})))),
                       "1 dimensions"));
  EXPECT_TRUE(
      contains(read_error(folder.write("o.npy", make_npy("|O", "1, 1", "abcdefgh"))), "Python objects"));
  EXPECT_TRUE(
      contains(read_error(folder.write("h.npy", make_npy("<f8", "99999999999, 99999999999", ""))), "h.npy"));
  EXPECT_TRUE(contains(read_error(folder.write("z.npy", make_npy("<f8", "0, 3", ""))), "no rows"));
  EXPECT_TRUE(
      contains(read_error(folder.write("n.npy", make_npy("<f8", "1, 2", raw_bytes<double>({1, NAN})))),
               "row 1, column \"X1\""));
}

TEST(Reader, Npz) {
  const TempFolder folder;
  const std::string mask = make_npy("|b1", "5, 3", std::string("\0\0\0\1\0\0\0\1\1\0\0\0\0\0\1", 15));
  write_npz(folder / "avici.npz", {{"x", format_npy(kCells)}, {"interv", mask}});
  const Dataset avici = read_dataset(folder / "avici.npz", {});
  EXPECT_EQ(avici.table.values, kCells);
  EXPECT_EQ(avici.interventions.regimes, kRegimes);
  EXPECT_EQ(avici.interventions.regime_of_row, kRows);

  write_npz(folder / "bench.npz",
            {{"expression_matrix", format_npy(kCells)},
             {"var_names", make_npy_text({"A", "B", "C"})},
             {"interventions", make_npy_text({"non-targeting", "A", "B,C", "non-targeting", "C"})}});
  const Dataset bench = read_dataset(folder / "bench.npz", {});
  EXPECT_EQ(bench.table.names, (Names{"A", "B", "C"}));
  EXPECT_EQ(bench.interventions.regimes, kRegimes);
  EXPECT_EQ(bench.interventions.regime_of_row, kRows);
  ReadOptions options;
  options.interventions.file = folder / "avici.npz";
  EXPECT_EQ(read_dataset(folder.write("d.npy", format_npy(kCells)), options).interventions.regime_of_row,
            kRows);

  write_npz(folder / "other.npz", {{"table", format_npy(kCells)}});
  EXPECT_TRUE(contains(read_error(folder / "other.npz"), "found: table"));
  options = {};
  options.npz_key = "table";
  EXPECT_EQ(read_dataset(folder / "other.npz", options).table.values, kCells);
  write_npz(folder / "short.npz", {{"x", format_npy(kCells)}, {"var_names", make_npy_text({"A", "B"})}});
  EXPECT_TRUE(contains(read_error(folder / "short.npz"), "2 variable names for 3 variables"));
  write_npz(folder / "mask.npz", {{"x", format_npy(kCells)}, {"interv", format_npy(Matrix<double>(4, 3))}});
  EXPECT_TRUE(contains(read_error(folder / "mask.npz"), "the mask has 4 rows"));
  expect_every_cut_refused(folder, folder / "avici.npz", 7);
  EXPECT_TRUE(contains(read_error(folder.write("junk.npz", "PK\3\4junk")), "not a readable .npz archive"));
}

#ifdef CAUSCALE_HDF5
TEST(Reader, H5ad) {
  const TempFolder folder;
  {
    H5adWriter dense(folder / "dense.h5ad");
    dense.frames();
    dense.numbers("X", H5T_NATIVE_DOUBLE, {5, 3}, kCells.data());
    H5adWriter csr(folder / "csr.h5ad");
    csr.frames();
    csr.sparse("X", "csr_matrix", {1, 2, 3, 4, 5, 6, 7}, {0, 2, 2, 0, 1, 0, 2}, {0, 2, 3, 5, 5, 7});
    csr.group("layers");
    csr.sparse("layers/columns", "csc_matrix", {1, 4, 6, 5, 2, 3, 7}, {0, 2, 4, 2, 0, 1, 4}, {0, 3, 4, 7});
  }
  ReadOptions options, layer;
  options.label_column = "category";
  layer.label_column = "text";
  layer.h5ad_layer = "columns";
  for (const auto& [file, how] :
       {std::pair{"dense.h5ad", options}, {"csr.h5ad", options}, {"csr.h5ad", layer}}) {
    const Dataset data = read_dataset(folder / file, how);
    EXPECT_EQ(data.table.names, (Names{"A", "B", "C"}));
    EXPECT_EQ(data.table.values, kCells);
    EXPECT_EQ(data.interventions.regimes, kRegimes);
    EXPECT_EQ(data.interventions.regime_of_row, kRows);
  }
  for (const char* file : {"dense.h5ad", "csr.h5ad"}) {
    ReadOptions some;
    some.select = {"C", "A"};
    EXPECT_EQ(read_dataset(folder / file, some).table.values,
              Matrix<double>(5, 2, {1, 2, 0, 3, 4, 0, 0, 0, 6, 7}));
    some.label_column = "batch";
    EXPECT_TRUE(contains(read_error(folder / file, some), "obs has no column \"batch\""));
    some.h5ad_layer = "counts";
    EXPECT_TRUE(contains(read_error(folder / file, some), "no layer \"counts\""));
    expect_every_cut_refused(folder, folder / file, 293);
  }
  EXPECT_TRUE(
      contains(read_error(folder.write("junk.h5ad", "\x89HDF\r\n\x1a\njunk")), "not a readable HDF5 file"));
  EXPECT_TRUE(contains(read_error(folder / "none.h5ad"), "cannot open"));
}

TEST(Reader, InconsistentH5ad) {
  const TempFolder folder;
  const auto broken = [&](const std::string& name, const std::vector<float>& data,
                          const std::vector<std::int32_t>& indices, const std::vector<std::int32_t>& indptr) {
    {
      H5adWriter writer(folder / name);
      writer.frames();
      writer.sparse("X", "csr_matrix", data, indices, indptr);
    }
    return read_error(folder / name);
  };
  EXPECT_TRUE(contains(broken("a.h5ad", {1, 2}, {0, 1}, {0, 2, 1, 2, 2, 2}), "do not fit together"));
  EXPECT_TRUE(contains(broken("b.h5ad", {1, 2}, {0, 1}, {0, 2, 2, 2, 2, 9}), "do not fit together"));
  EXPECT_TRUE(contains(broken("c.h5ad", {1, 2}, {0, 7}, {0, 2, 2, 2, 2, 2}), "outside the table"));
  EXPECT_TRUE(contains(broken("d.h5ad", {1, 2}, {0, -1}, {0, 2, 2, 2, 2, 2}), "outside the table"));
  EXPECT_TRUE(contains(broken("e.h5ad", {1, 2}, {0}, {0, 2, 2, 2, 2, 2}), "do not fit together"));
  {
    H5adWriter writer(folder / "f.h5ad");
    writer.frames();
    writer.numbers("X", H5T_NATIVE_DOUBLE, {3, 5}, kCells.data());
    H5adWriter empty(folder / "g.h5ad");
  }
  EXPECT_TRUE(contains(read_error(folder / "f.h5ad"), "should have 3 columns"));
  EXPECT_TRUE(contains(read_error(folder / "g.h5ad"), "no var group"));
}
#endif

}  // namespace
}  // namespace causcale
