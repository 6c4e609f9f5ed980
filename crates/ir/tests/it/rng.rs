//! A small deterministic source of choices (splitmix64), so that a seed is a whole test case.

pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Strings that are hard to quote.
    pub fn text(&mut self) -> String {
        let words = [
            "",
            "a",
            "counter",
            "a.c",
            "/usr/include/x y.h",
            "\"",
            "\\",
            "\n\t\r",
            "é→…ß",
            "\u{0}\u{7f}\u{85}",
            ".str",
            "3abc",
            "; not a comment",
            "{ } | %1 @2",
            "$x",
            "x > 0 && y",
            "'\\n'",
            "a\u{2028}b",
            "…",
            "->",
        ];
        let mut text = self.pick(&words).to_string();
        if self.chance(20) {
            text.push_str(self.pick(&words));
        }
        text
    }
}
