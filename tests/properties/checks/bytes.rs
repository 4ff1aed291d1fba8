//! An input that is read byte by byte.

/// What is left of an input.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte, or `None` at the end.
    pub fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// The next byte; 0 after the end.
    pub fn byte(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    /// A number below `count`, from the next two bytes.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % count
    }

    /// One of these, by the next byte.
    pub fn one_of<'b, T>(&mut self, choices: &'b [T]) -> &'b T {
        &choices[usize::from(self.byte()) % choices.len()]
    }
}
