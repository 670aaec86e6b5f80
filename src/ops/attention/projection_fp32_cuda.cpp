// The projections around tied attention in fp32: what the common kernel of Linears is to do in each of them.
#include "ops/attention/attention_kernels.h"
#include "ops/cuda/linear_fp32.h"

namespace causcale::cuda {
namespace {

const float* floats(const void* values) {
  return static_cast<const float*>(values);
}

}  // namespace

void project_qkv_fp32(const ProjectQkv& args, const TokenMap& map, cudaStream_t stream) {
  LinearFp32 linear;
  linear.input = LinearFp32::Input::kNormed;
  linear.output = LinearFp32::Output::kPlanes;
  linear.depth = kChannels;
  linear.width = 3 * kChannels;
  linear.in = floats(args.x);
  linear.weight = floats(args.weight);
  linear.norm_weight = floats(args.norm_weight);
  linear.norm_bias = floats(args.norm_bias);
  linear.mean = args.mean;
  linear.rstd = args.rstd;
  linear.bias = floats(args.bias);
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
  LinearFp32 linear;
  linear.input = LinearFp32::Input::kPlanes;
  linear.output = LinearFp32::Output::kNormBackward;
  linear.backward = true;
  linear.depth = 3 * kChannels;
  linear.width = kChannels;
  linear.in = floats(args.stack);
  linear.weight = floats(args.weight);
  linear.norm_weight = floats(args.norm_weight);
  linear.saved_mean = args.mean;
  linear.saved_rstd = args.rstd;
  linear.x = floats(args.x);
  linear.residual = floats(args.dy);
  linear.out = static_cast<float*>(args.dx);
  linear_fp32(linear, map, stream);
}

}  // namespace causcale::cuda
