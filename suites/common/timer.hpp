// SPDX-License-Identifier: Apache-2.0
// Wall time for the suites, and the number of reports that a run makes.
#ifndef NUMAFY_SUITES_TIMER_HPP
#define NUMAFY_SUITES_TIMER_HPP

#include <chrono>
#include <cmath>

namespace suite
{

class Timer
{
  public:
    using Clock = std::chrono::steady_clock;

    Timer() : start_(Clock::now()) {}

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    Clock::time_point at(double seconds) const
    {
        return start_ +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    }

  private:
    Clock::time_point start_;
};

// Reports of a run: rounded up, and one even if the run is shorter than one interval. The billionth
// forgives the rounding of quotients such as 2.1 / 0.7.
inline unsigned long interval_count(double duration, double interval)
{
    const double count = std::ceil(duration / interval - 1e-9);
    return count < 1 ? 1 : static_cast<unsigned long>(count);
}

} // namespace suite

#endif
