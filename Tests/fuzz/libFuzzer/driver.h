#include <stddef.h>
#include <stdint.h>

// What LLVM has in no header.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t size));
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t maximum);
