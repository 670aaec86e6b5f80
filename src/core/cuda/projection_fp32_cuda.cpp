// The projections around tied attention in fp32: what the common kernel of Linears is to do in each of them.
#include "core/cuda/attention_kernels.h"
#include "core/cuda/linear_fp32.h"

namespace causcale::cuda {
void project_qkv_fp32(const ProjectQkv& args, const TokenMap& map, cudaStream_t stream) {
  LinearFp32 linear = linear_after_norm(args, args.weight, args.bias, 3 * kChannels);
  linear.output = LinearFp32::Output::kPlanes;
  linear.mean = args.mean;
  linear.rstd = args.rstd;
  linear.out = static_cast<float*>(args.stack);
  linear_fp32(linear, map, stream);
}

void project_out_fp32(const ProjectOut& args, const TokenMap& map, cudaStream_t stream) {
  LinearFp32 linear;
  linear.input = LinearFp32::Input::kPlanes;
  linear.depth = linear.width = kChannels;
  linear.in = floats(args.planes);
  linear.weight = floats(args.weight);
  linear.bias = floats(args.bias);
  linear.residual = floats(args.x);
  linear.out = static_cast<float*>(args.y);
  linear_fp32(linear, map, stream);
}

void project_out_backward_fp32(const void* dy, const void* weight, void* planes, const TokenMap& map,
                               cudaStream_t stream) {
  LinearFp32 linear;
  linear.output = LinearFp32::Output::kPlanes;
  linear.backward = true;
  linear.depth = linear.width = kChannels;
  linear.in = floats(dy);
  linear.weight = floats(weight);
  linear.out = static_cast<float*>(planes);
  linear_fp32(linear, map, stream);
}

void project_qkv_backward_fp32(const ProjectQkvBackward& args, const TokenMap& map, cudaStream_t stream) {
  LinearFp32 linear = linear_back_through_norm(args, args.stack, args.weight, 3 * kChannels);
  linear.input = LinearFp32::Input::kPlanes;
  linear_fp32(linear, map, stream);
}

}  // namespace causcale::cuda
