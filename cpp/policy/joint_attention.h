// One softmax over all pairs of a query and a key, as in the code that the paper's authors published.
//
// The kernels normalise per query. A joint softmax is that times the share of the query: the sum of its exponentials
// among those of all queries. So the results are scaled afterwards, and gradients before they enter the kernels.
#pragma once

#include "policy/kernels/aligned.h"
#include "policy/kernels/kernels.h"

namespace fripn::policy {

// The attention of some queries with a number of heads each, whose result lies in rows of channels.
class JointAttention {
public:
    // Channel c of a row belongs to head `c / head_stride` (heads side by side) or `c % head_stride` (heads as lanes).
    enum class Layout { heads_apart, heads_as_lanes };

    // Without joint attention everything below does nothing.
    JointAttention(bool is_joint, Layout layout, int num_queries, int num_heads, int head_stride, int width);

    // Where the kernel writes its sums.
    [[nodiscard]] SoftmaxSums sums() { return is_joint_ ? SoftmaxSums{tops_.data(), totals_.data()} : SoftmaxSums{}; }

    // Scales the kernel's result (rows, width) for queries 0 to `rows` - 1.
    void scale(float* out, int rows);

    // Turns the gradient of the scaled result into that of the kernel's, and returns what the kernel needs for `means`;
    // nullptr without joint attention.
    const float* scale_back(const float* out, float* d_out, int rows);

private:
    [[nodiscard]] int head_of(int channel) const {
        return layout_ == Layout::heads_apart ? channel / head_stride_ : channel % head_stride_;
    }

    bool is_joint_;
    Layout layout_;
    int num_heads_;
    int head_stride_;
    int width_;
    AlignedFloats tops_;    // (queries, heads)
    AlignedFloats totals_;
    AlignedFloats shares_;
    AlignedFloats means_;
};

}  // namespace fripn::policy
