// The place where Lua's compiler stops.
#ifndef CLUASYNTAX_H
#define CLUASYNTAX_H

#include <stddef.h>

/// The place where Lua's compiler stops in a script with an error: how many bytes its lexer has read as tokens. -1 if there is no
/// error.
///
/// Call it only for a script that has failed within limits: nothing here limits time or memory.
ptrdiff_t pp_error_offset(const char *bytes, size_t length);

#endif
