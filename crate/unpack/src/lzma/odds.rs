//! Range decoder with adaptive probabilities: the probability of a bit depends on earlier bits of the same kind.

/// Index of the first probability of each kind of bit, named as in LZMA's specification. Callers add a
/// state or a tree node to the index.
#[derive(Clone, Copy)]
#[repr(usize)]
pub enum Place {
    IsMatch = 0,
    IsRep = 12,
    IsRepG0 = 24,
    IsRepG1 = 36,
    IsRepG2 = 48,
    IsRep0Long = 60,
    /// First of four trees with 64 nodes each.
    PosSlot = 72,
    PosSpecial = 328,
    PosAlign = 456,
    Len = 472,
    RepLen = 746,
    /// First of eight sets of 768, one for each value of the upper three bits of the previous byte.
    Literal = 1020,
}

const ALL: usize = Place::Literal as usize + 8 * 0x300;

pub struct Odds<'a> {
    packed: &'a [u8],
    read: usize,
    range: u32,
    code: u32,
    /// Probabilities that the next bit is 0, in units of 1/2,048.
    odds: [u16; ALL],
}

impl<'a> Odds<'a> {
    /// Reads the first five bytes of the range coder. The first one is always 0 and skipped.
    pub fn new(packed: &'a [u8]) -> Self {
        let code = packed[1..5].iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
        Self { packed, read: 5, range: u32::MAX, code, odds: [1024; ALL] }
    }

    pub fn bit(&mut self, place: Place, at: usize) -> bool {
        self.next(place as usize + at) == 1
    }

    /// Reads a literal. After a match, `instead` is the byte that would continue the match. The literal
    /// mostly differs from this byte, so the probabilities depend on it.
    pub fn literal(&mut self, before: u8, instead: Option<u8>) -> u8 {
        let base = Place::Literal as usize + 0x300 * usize::from(before >> 5);
        let mut node = 1;
        if let Some(instead) = instead {
            let mut rest = usize::from(instead);
            while node < 0x100 {
                rest <<= 1;
                let expected = rest & 0x100;
                let bit = self.next(base + 0x100 + expected + node);
                node = node << 1 | bit;
                if expected >> 8 != bit {
                    break;
                }
            }
        }
        while node < 0x100 {
            node = node << 1 | self.next(base + node);
        }
        node as u8
    }

    pub fn length(&mut self, place: Place) -> usize {
        let base = place as usize;
        if self.next(base) == 0 {
            2 + self.tree(base + 2, 3)
        } else if self.next(base + 1) == 0 {
            10 + self.tree(base + 10, 3)
        } else {
            18 + self.tree(base + 18, 8)
        }
    }

    /// Reads the distance, minus one, of a match with this length.
    pub fn distance(&mut self, length: usize) -> usize {
        let slot = self.tree(Place::PosSlot as usize + 64 * (length - 2).min(3), 6);
        if slot < 4 {
            return slot;
        }
        let bits = (slot >> 1) - 1;
        let base = (2 | slot & 1) << bits;
        if slot < 14 {
            return base + self.reversed(Place::PosSpecial as usize + base - slot, bits);
        }
        let upper = self.even(bits - 4);
        base + (upper << 4) + self.reversed(Place::PosAlign as usize, 4)
    }

    /// Reads a number from a tree of bits, highest bit first.
    fn tree(&mut self, base: usize, bits: usize) -> usize {
        let node = (0..bits).fold(1, |node, _| node << 1 | self.next(base + node));
        node - (1 << bits)
    }

    /// Reads a number from a tree of bits, lowest bit first.
    fn reversed(&mut self, base: usize, bits: usize) -> usize {
        let (mut node, mut value) = (1, 0);
        for at in 0..bits {
            let bit = self.next(base + node);
            node = node << 1 | bit;
            value |= bit << at;
        }
        value
    }

    /// Reads bits for which 0 and 1 have the same probability.
    fn even(&mut self, bits: usize) -> usize {
        (0..bits).fold(0, |value, _| {
            self.range >>= 1;
            let bit = self.code >= self.range;
            if bit {
                self.code -= self.range;
            }
            self.refill();
            value << 1 | usize::from(bit)
        })
    }

    // Never inlined, because inlining would make the code larger and no faster.
    #[inline(never)]
    fn next(&mut self, at: usize) -> usize {
        let odds = &mut self.odds[at];
        let bound = (self.range >> 11) * u32::from(*odds);
        let bit = self.code >= bound;
        if bit {
            self.code -= bound;
            self.range -= bound;
            *odds -= *odds >> 5;
        } else {
            self.range = bound;
            *odds += (2048 - *odds) >> 5;
        }
        self.refill();
        usize::from(bit)
    }

    /// Reads the next byte when the range is small. After the last byte it reads zeros, which have no effect.
    #[inline(always)]
    fn refill(&mut self) {
        if self.range < 1 << 24 {
            let byte = self.packed.get(self.read).copied().unwrap_or_default();
            self.code = self.code << 8 | u32::from(byte);
            self.range <<= 8;
            self.read += 1;
        }
    }
}
