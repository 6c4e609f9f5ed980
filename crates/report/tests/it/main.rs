//! Tests of the page: as a text, and in a real browser.

mod beside;
mod browser;
mod devtools;
mod page;
mod review;
mod samples;
