//! Versions of a program: git refs, checkouts, builds and the content-addressed cache.
