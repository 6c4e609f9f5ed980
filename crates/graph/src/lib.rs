//! The MVICFG.
