//! The same interface where Bitwuzla is not there: there are no contexts.

use crate::{ArrayEntries, Handle, Kind, Outcome, RoundingMode, Shape};

/// No value of this type exists in a build without Bitwuzla.
pub enum Context {}

#[allow(missing_docs)]
impl Context {
    /// None: this build does not contain Bitwuzla.
    pub fn new(_: bool) -> Option<Self> {
        None
    }

    pub fn len(&self) -> usize {
        match *self {}
    }

    pub fn is_empty(&self) -> bool {
        match *self {}
    }

    pub fn bool(&mut self, _: bool) -> Handle {
        match *self {}
    }

    pub fn bits(&mut self, _: u32, _: u128) -> Handle {
        match *self {}
    }

    pub fn rounding(&mut self, _: RoundingMode) -> Handle {
        match *self {}
    }

    pub fn to_float(&mut self, _: Kind, _: &[Handle], _: u32, _: u32) -> Handle {
        match *self {}
    }

    pub fn to_integer(&mut self, _: Kind, _: Handle, _: Handle, _: u32) -> Handle {
        match *self {}
    }

    pub fn variable(&mut self, _: Shape) -> Handle {
        match *self {}
    }

    pub fn function(&mut self, _: &[Shape], _: Shape) -> Handle {
        match *self {}
    }

    pub fn apply(&mut self, _: Handle, _: &[Handle]) -> Handle {
        match *self {}
    }

    pub fn const_array(&mut self, _: u32, _: Handle) -> Handle {
        match *self {}
    }

    pub fn term(&mut self, _: Kind, _: &[Handle]) -> Handle {
        match *self {}
    }

    pub fn extract(&mut self, _: Handle, _: u32, _: u32) -> Handle {
        match *self {}
    }

    pub fn extend(&mut self, _: Kind, _: Handle, _: u32) -> Handle {
        match *self {}
    }

    pub fn push(&mut self) {
        match *self {}
    }

    pub fn pop(&mut self, _: u32) {
        match *self {}
    }

    pub fn assert(&mut self, _: Handle) {
        match *self {}
    }

    pub fn check(&mut self, _: u64, _: u64, _: u64, _: &mut u64) -> Outcome {
        match *self {}
    }

    pub fn bits_value(&mut self, _: Handle) -> Option<u128> {
        match *self {}
    }

    pub fn array_value(&mut self, _: Handle) -> Option<ArrayEntries> {
        match *self {}
    }
}
