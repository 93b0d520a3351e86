#pragma once

#include <parte/hypothesis.hpp>

namespace parte {

/// What speaks for and against a hypothesis that was refined and measured.
[[nodiscard]] AlignmentEvidence evidence_for(const Hypothesis& h, const Candidates& c, const Options& o);

}  // namespace parte
