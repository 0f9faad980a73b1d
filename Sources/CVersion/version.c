#include "CVersion.h"

const char *pp_version(void) { return PATCHPACK_VERSION; }
