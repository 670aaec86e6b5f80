// Tails of distributions; as logarithms where the strongest dependences must still be told apart.
#pragma once

namespace causcale {

// log P(G > x) for a gamma variable of the given shape (> 0) and scale 1; x >= 0.
double log_gamma_tail(double shape, double x);

// log P(X > statistic) for a chi-square variable; `degrees` > 0 need not be whole.
double log_chi_square_tail(double statistic, double degrees);

// P(X > statistic) for a chi-square variable; 1 without degrees of freedom.
double chi_square_tail(double statistic, double degrees);

// P(|T| >= |t|) of Student's t with `degrees` degrees of freedom, which need not be whole.
double student_two_sided(double t, double degrees);

// The z >= 0 with log P(|Z| > z) = log_p for a standard normal Z; log_p <= 0.
double normal_of_log_p(double log_p);

// The z with P(Z <= z) = share, 0 < share < 1.
double normal_quantile(double share);

// log Gamma(x), x > 0, without the hidden variable that std::lgamma writes.
double log_gamma(double x);

}  // namespace causcale
