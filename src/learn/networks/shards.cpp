#include "learn/networks/shards.h"

#include <ATen/ATen.h>

namespace causcale {

at::Tensor switch_axes(at::Tensor x, std::int64_t length, Collectives& group) {
  const Shards lines{length, group.size()}, columns{x.size(1), group.size()};
  const std::int64_t d = x.size(2), mine = x.size(0), own_columns = columns.size(group.rank());
  // Parts of one size: what some have less stays empty.
  at::Tensor sent = at::zeros({group.size(), columns.largest(), lines.largest(), d}, x.options());
  for (int part = 0; part < group.size(); ++part)
    sent[part]
        .narrow(0, 0, columns.size(part))
        .narrow(1, 0, mine)
        .copy_(x.narrow(1, columns.begin(part), columns.size(part)).transpose(0, 1));
  x.reset();
  at::Tensor received = at::empty_like(sent);
  group.exchange(sent, received);
  sent.reset();
  at::Tensor result = at::empty({own_columns, length, d}, received.options());
  for (int part = 0; part < group.size(); ++part)
    result.narrow(1, lines.begin(part), lines.size(part))
        .copy_(received[part].narrow(0, 0, own_columns).narrow(1, 0, lines.size(part)));
  return result;
}

}  // namespace causcale
