//! Tests of the program model, in one binary so that it links once.

mod codec;
mod export;
mod generate;
mod hash;
mod link;
mod rng;
mod sample;
mod text;
mod verify;
