//! Pictures and reports.
