// Tails of distributions, for tests of the data.
#pragma once

namespace causcale {

// P(|T| >= |t|) of Student's t with `degrees` degrees of freedom, which need not be whole.
double student_two_sided(double t, double degrees);

// P(X >= x) of chi-square.
double chi_square_tail(double x, double degrees);

}  // namespace causcale
