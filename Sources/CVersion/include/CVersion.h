#pragma once

/// The version that the build was given (PATCHPACK_VERSION in Package.swift); "" if it was given none.
const char *_Nonnull pp_version(void);
