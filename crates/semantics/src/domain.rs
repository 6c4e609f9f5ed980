//! What values are: numbers or terms.

use hydrogen_term::{FloatOp, Format};

/// A kind of values with the operations that everything else is made of. Values are bit-vectors of 1 to 128 bits; operations on two take the
/// same width. Division and shifts are total, as in SMT-LIB.
#[allow(missing_docs)] // The names say it.
pub trait Domain {
    /// A bit-vector.
    type Value: Copy;
    /// A truth value.
    type Truth: Copy;

    fn width(&self, value: Self::Value) -> u32;
    fn number(&mut self, width: u32, value: u128) -> Self::Value;
    /// The number, if the value is known to be one.
    fn known(&self, value: Self::Value) -> Option<u128>;
    fn truth(&mut self, value: bool) -> Self::Truth;

    fn not(&mut self, a: Self::Truth) -> Self::Truth;
    fn both(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    fn either(&mut self, a: Self::Truth, b: Self::Truth) -> Self::Truth;
    fn choose(&mut self, condition: Self::Truth, then: Self::Value, otherwise: Self::Value) -> Self::Value;
    /// 0 or 1 of a width.
    fn bit(&mut self, truth: Self::Truth, width: u32) -> Self::Value;

    fn equal(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    fn ult(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    fn slt(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;

    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn sub(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn udiv(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn urem(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn sdiv(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn srem(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn shl(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn lshr(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn ashr(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn bitand(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn bitor(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn bitxor(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;

    fn sadd_overflows(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    fn uadd_overflows(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    fn ssub_overflows(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    fn usub_overflows(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    fn smul_overflows(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;
    fn umul_overflows(&mut self, a: Self::Value, b: Self::Value) -> Self::Truth;

    /// The first one's bits above the second's.
    fn concat(&mut self, high: Self::Value, low: Self::Value) -> Self::Value;
    fn extract(&mut self, value: Self::Value, high: u32, low: u32) -> Self::Value;
    /// Cut, or extended by zeros.
    fn resize_unsigned(&mut self, value: Self::Value, width: u32) -> Self::Value;
    /// Cut, or extended by the sign.
    fn resize_signed(&mut self, value: Self::Value, width: u32) -> Self::Value;

    /// Whether there is arithmetic of a floating-point format.
    fn has_format(&self, format: Format) -> bool;
    /// A floating-point operator whose result is a value.
    fn float(&mut self, op: FloatOp, format: Format, args: &[Self::Value]) -> Self::Value;
    /// A floating-point comparison.
    fn float_holds(&mut self, op: FloatOp, format: Format, a: Self::Value, b: Self::Value) -> Self::Truth;
    /// What C's `fmod` gives, if that can be said.
    fn float_remainder(&mut self, format: Format, a: Self::Value, b: Self::Value) -> Option<Self::Value>;
}
