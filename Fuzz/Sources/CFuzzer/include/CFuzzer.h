// libFuzzer's entry point for a program that has its own `main` (llvm.org/docs/LibFuzzer.html).
#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one_input)(const uint8_t *data, size_t size));

#endif
