// flags: -fcommon
int shared;
int *where(void) { return &shared; }
