// A dense row-major matrix that owns its memory. Deliberately small: storage and indexing, no algebra.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace causcale {

template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols, T fill = T{})
      : rows_(rows), cols_(cols), values_(rows * cols, fill) {}
  Matrix(std::size_t rows, std::size_t cols, std::vector<T> values)
      : rows_(rows), cols_(cols), values_(std::move(values)) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  T& operator()(std::size_t row, std::size_t col) { return values_[row * cols_ + col]; }
  const T& operator()(std::size_t row, std::size_t col) const { return values_[row * cols_ + col]; }

  std::span<T> row(std::size_t r) { return {values_.data() + r * cols_, cols_}; }
  std::span<const T> row(std::size_t r) const { return {values_.data() + r * cols_, cols_}; }

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::vector<T>& values() & { return values_; }
  const std::vector<T>& values() const& { return values_; }
  std::vector<T> values() && { return std::move(values_); }  // of a temporary: a loop over it must not dangle

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<T> values_;
};

}  // namespace causcale
