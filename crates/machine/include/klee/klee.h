/* Harnesses that were written for KLEE work as they are. */
#ifndef HYDROGEN_KLEE_H
#define HYDROGEN_KLEE_H

#include <hydrogen.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

void klee_make_symbolic(void *memory, size_t size, const char *name);
void klee_assume(uintptr_t condition);

static inline int klee_int(const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	return value;
}

static inline int klee_range(int begin, int end, const char *name)
{
	int value = klee_int(name);
	klee_assume(begin <= value && value < end);
	return value;
}

/* Without meaning here: hints for KLEE's own search. */
static inline void klee_prefer_cex(void *object, uintptr_t condition) { (void)object; (void)condition; }
static inline void klee_open_merge(void) {}
static inline void klee_close_merge(void) {}
static inline void klee_warning(const char *message) { (void)message; }
static inline void klee_warning_once(const char *message) { (void)message; }
static inline void klee_silent_exit(int status) { exit(status); }
static inline void klee_abort(void) { abort(); }

#define klee_assert(condition) ((condition) ? (void)0 : abort())

#ifdef __cplusplus
}
#endif

#endif
