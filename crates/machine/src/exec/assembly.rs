//! What inline assembly computes.

use super::int::low;
use crate::code::Assembly;

/// What all x86-64 processors can do: a clock, conditional moves, SSE2 and what came before.
const BASELINE: u64 = 1 | 1 << 4 | 1 << 8 | 1 << 15 | 1 << 19 | 1 << 23 | 1 << 24 | 1 << 25 | 1 << 26;

/// The answers, by register: `ax`, `bx`, `cx`, `dx`. One that an instruction does not give is the first.
pub(super) fn compute(which: Assembly, inputs: &[u64], clock: u64) -> [u64; 4] {
    let input = |at: usize| inputs.get(at).copied().unwrap_or(0);
    let word = |text: &[u8; 4]| u64::from(u32::from_le_bytes(*text));
    match which {
        Assembly::Identify => match input(0) as u32 {
            0 => [1, word(b"Genu"), word(b"ntel"), word(b"ineI")],
            1 => [0x0006_00f0, 0x0800, 0, BASELINE],
            0x8000_0000 => [0x8000_0001, 0, 0, 0],
            0x8000_0001 => [0, 0, 1, 1 << 11 | 1 << 29],
            _ => [0; 4],
        },
        Assembly::Clock => [low(clock, 32), 0, 0, clock >> 32],
        Assembly::SwapBytes(bits) => [input(0).swap_bytes() >> (64 - bits), 0, 0, 0],
        Assembly::Multiply(bits) => {
            let product = u128::from(low(input(0), bits)) * u128::from(low(input(1), bits));
            [low(product as u64, bits), 0, 0, low((product >> bits) as u64, bits)]
        }
        // Of zero they say nothing; most processors leave the output as it was.
        Assembly::HighestBit(bits) => {
            [63u64.saturating_sub(low(input(0), bits).leading_zeros().into()), 0, 0, 0]
        }
        Assembly::LowestBit(bits) => [u64::from(low(input(0), bits).trailing_zeros() % 64), 0, 0, 0],
    }
}
