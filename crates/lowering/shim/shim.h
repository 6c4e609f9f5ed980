// What the shim shares between its files, and with src/llvm/shim.rs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <llvm-c/Types.h>

extern "C" {
// Bytes that somebody else owns.
struct HydrogenBytes {
  const char *data;
  size_t size;
};
}

#ifdef __cplusplus
#include <llvm/ADT/StringRef.h>
inline HydrogenBytes bytes(llvm::StringRef text) { return {text.data(), text.size()}; }
#endif
