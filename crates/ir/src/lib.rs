//! The program model of one version.
