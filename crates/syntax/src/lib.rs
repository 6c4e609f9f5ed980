//! Build-free mode: the statements and control flow of C source without compiling it.
