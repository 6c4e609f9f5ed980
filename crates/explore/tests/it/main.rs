//! Exploration of small programs.
#![allow(clippy::unwrap_used)]

mod copies;
mod examples;
mod generate;
mod library;
mod loops;
mod micro;
mod numbers;
mod paths;
mod random;
mod search;
mod shapes;
mod strings;
mod support;
