/* What a program may tell `hydrogen run` and `hydrogen explore`. Found by `#include <hydrogen.h>` without any option. */
#ifndef HYDROGEN_H
#define HYDROGEN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memory becomes an input of this name. A name that is used again stands for another input: n, n#2, n#3. */
void hydrogen_symbolic(void *memory, size_t size, const char *name);

/* Inputs for which the condition is zero are of no interest: the run ends here. */
void hydrogen_assume(unsigned long condition);

/* The value counts as an output of the program, under this name. */
void hydrogen_output(const char *name, long long value);

#ifdef __cplusplus
}
#endif

#endif
