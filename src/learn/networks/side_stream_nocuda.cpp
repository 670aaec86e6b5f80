#include "learn/networks/side_stream.h"

namespace causcale {

struct SideStream::State {};

SideStream::SideStream(at::Device) {}
SideStream::~SideStream() = default;

void SideStream::run(const std::function<void()>& work) {
  work();
}

void SideStream::join() {}

}  // namespace causcale
