#include "policy/joint_attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fripn::policy {

namespace {

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }

}  // namespace

JointAttention::JointAttention(bool is_joint, Layout layout, int num_queries, int num_heads, int head_stride, int width)
    : is_joint_(is_joint),
      layout_(layout),
      num_heads_(num_heads),
      head_stride_(head_stride),
      width_(width),
      tops_(is_joint ? size_of(num_queries) * size_of(num_heads) : 0),
      totals_(tops_.size()),
      shares_(tops_.size()),
      means_(tops_.size()) {}

void JointAttention::scale(float* out, int rows) {
    if (!is_joint_) return;
    for (int head = 0; head < num_heads_; ++head) {
        const auto at = [&](int row) { return size_of(row) * size_of(num_heads_) + size_of(head); };
        float top = unavailable;
        for (int r = 0; r < rows; ++r) top = std::max(top, tops_[at(r)]);
        double total = 0.0;
        for (int r = 0; r < rows; ++r) {
            shares_[at(r)] = totals_[at(r)] * std::exp2(tops_[at(r)] - top);
            total += static_cast<double>(shares_[at(r)]);
        }
        for (int r = 0; r < rows; ++r) shares_[at(r)] = static_cast<float>(static_cast<double>(shares_[at(r)]) / total);
    }
    for (int r = 0; r < rows; ++r, out += width_)
        for (int c = 0; c < width_; ++c) {
            const int head = head_of(c);
            if (head < num_heads_) out[c] *= shares_[size_of(r) * size_of(num_heads_) + size_of(head)];
        }
}

const float* JointAttention::scale_back(const float* out, float* d_out, int rows) {
    if (!is_joint_) return nullptr;
    // The mean slope of all pairs of a head is the sum over the queries of d_out . out.
    AlignedFloats slopes(size_of(num_heads_), 0.0F);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < width_; ++c) {
            const std::size_t at = size_of(r) * size_of(width_) + size_of(c);
            const int head = head_of(c);
            if (head >= num_heads_) continue;
            slopes[size_of(head)] += d_out[at] * out[at];
            d_out[at] *= shares_[size_of(r) * size_of(num_heads_) + size_of(head)];
        }
    for (std::size_t i = 0; i < size_of(rows) * size_of(num_heads_); ++i)
        means_[i] = shares_[i] * slopes[i % size_of(num_heads_)];
    return means_.data();
}

}  // namespace fripn::policy
