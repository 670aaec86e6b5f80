// The channels of core/channels.h for batches that were made on a device.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/channels.h"

namespace causcale {

// data [B, m, n, 2 ...] without gaps -> [B, n], 1 where a column is discrete.
at::Tensor discrete_columns(const at::Tensor& data);

// data [B, m, n, 2 + channels] -> [B, n, n]
at::Tensor shift_statistics(const at::Tensor& data, const InputChannels& channels);

}  // namespace causcale
