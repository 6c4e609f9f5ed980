// What Bitwuzla's C interface lacks: limits for one question that also hold while terms are turned into gates, and no exception
// that leaves C++.

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

#include <bitwuzla/c/bitwuzla.h>

#include "poll.h"

namespace {

// The time that this thread was computing, so that a busy machine gives the same answers as an idle one.
struct Clock
{
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock>;
  static constexpr bool is_steady = true;

  static time_point now()
  {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

enum Outcome : int32_t
{
  SAT = 10,
  UNSAT = 20,
  UNKNOWN = 0,
  TIMEOUT = 1,
  MEMORY = 2,
  BROKEN = 3,
};

struct Limits
{
  bool armed = false;
  Clock::time_point deadline;
  Clock::time_point next_look;
  uint64_t most_pages = 0;
  // What was done, in units that are the same on every machine; 0 for no limit.
  uint64_t work = 0;
  uint64_t most_work = 0;
  // Set from another thread when the user wants an end.
  const bool* stop = nullptr;
  Outcome exceeded = UNKNOWN;
};

// What one look of the SAT solver stands for, in gates.
constexpr uint64_t LOOK = 16;


// Every thread asks its own solvers.
thread_local Limits limits;

struct Stop
{
};

uint64_t
resident_pages()
{
  unsigned long size = 0, resident = 0;
  FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  int found = std::fscanf(file, "%lu %lu", &size, &resident);
  std::fclose(file);
  return found == 2 ? resident : 0;
}

bool
exceeded()
{
  if (!limits.armed) return false;
  if (limits.exceeded != UNKNOWN) return true;
  bool stopped = limits.stop != nullptr && __atomic_load_n(limits.stop, __ATOMIC_RELAXED);
  if (stopped || (limits.most_work > 0 && limits.work > limits.most_work))
  {
    limits.exceeded = TIMEOUT;
    return true;
  }
  Clock::time_point now = Clock::now();
  if (now >= limits.deadline)
  {
    limits.exceeded = TIMEOUT;
    return true;
  }
  // Looking at the memory costs as much as a hundred looks at the clock.
  if (now >= limits.next_look)
  {
    limits.next_look = now + std::chrono::milliseconds(5);
    if (resident_pages() > limits.most_pages)
    {
      limits.exceeded = MEMORY;
      return true;
    }
  }
  return false;
}

int32_t
terminate(void*)
{
  limits.work += LOOK;
  return exceeded() ? 1 : 0;
}

}  // namespace

void
hydrogen_poll()
{
  // Called for every gate: even the clock is too much for each.
  thread_local uint32_t calls = 0;
  ++limits.work;
  if (++calls % 64 == 0 && exceeded()) throw Stop();
}

// After TIMEOUT, MEMORY and BROKEN the solver is good for nothing but to be deleted.
extern "C" int32_t
hydrogen_bitwuzla_check(
    Bitwuzla* solver, uint64_t milliseconds, uint64_t mebibytes, uint64_t most_work, uint64_t* work, const bool* stop)
{
  Clock::time_point now = Clock::now();
  uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  limits.armed = true;
  limits.deadline = now + std::chrono::milliseconds(milliseconds);
  limits.next_look = now;
  limits.most_pages = resident_pages() + mebibytes * (1024 * 1024 / page);
  limits.work = 0;
  limits.most_work = most_work;
  limits.stop = stop;
  limits.exceeded = UNKNOWN;
  int32_t outcome = BROKEN;
  try
  {
    bitwuzla_set_termination_callback(solver, terminate, nullptr);
    outcome = bitwuzla_check_sat(solver);
  }
  catch (const Stop&)
  {
    outcome = UNKNOWN;
  }
  catch (...)
  {
    // Memory that could not be had at all, most likely.
    outcome = limits.exceeded == UNKNOWN ? BROKEN : UNKNOWN;
  }
  limits.armed = false;
  *work = limits.work;
  if (outcome == UNKNOWN && limits.exceeded != UNKNOWN) outcome = limits.exceeded;
  return outcome;
}
