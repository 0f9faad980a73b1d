// Opening states.

#ifndef CLUABRIDGE_OPEN_H
#define CLUABRIDGE_OPEN_H

#include "calls.h"

/// Opens a state of the patch, which counts it among its open states already, and enters it. NULL if there is not enough memory; it is
/// no longer counted then.
pp_state *pp_open_state(pp_patch *patch, const pp_limits *limits, bool adds_layers);

#endif
