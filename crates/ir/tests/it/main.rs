//! Tests of the program model, in one binary so that it links once.

mod codec;
mod generate;
mod rng;
mod text;
