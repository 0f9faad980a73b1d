#pragma once

/// Lets the calls that change files succeed `calls` more times, and fail after that: once with `error`, or, if the process is
/// to be dead, each of them. A negative number makes none fail.
void world_faults_set(int calls, int error, int is_dead);

/// How many calls have failed since the program began.
int world_faults_count(void);
