#ifndef HYDROGEN_POLL_H
#define HYDROGEN_POLL_H

// Called from the loops in which Bitwuzla turns terms into gates and gates into clauses; throws when a limit is reached.
void hydrogen_poll();

#endif
