//! Raw LZMA by 7-Zip's specification (lzma-specification.txt, public domain), for only one setting: `lc` is 3, `lp`
//! and `pb` are 0. There is no header and no end marker, because the caller knows the length.

mod odds;

use odds::{Odds, Place};

/// Distances of the last four matches in bytes, minus one, newest first.
type Distances = [usize; 4];

/// Fills `out` with the unpacked bytes of `packed`.
///
/// # Panics
///
/// If `packed` is not the output of an encoder with these settings for at least `out.len()` bytes. The function
/// returns or panics for any input: it never loops forever.
pub fn unpack(packed: &[u8], out: &mut [u8]) {
    let mut at = 0;
    let mut odds = Odds::new(packed);
    let mut distances: Distances = [0; 4];
    let mut state = State(0);
    while at < out.len() {
        if !odds.bit(Place::IsMatch, state.0) {
            let before = if at == 0 { 0 } else { out[at - 1] };
            let instead = state.is_after_match().then(|| out[at - distances[0] - 1]);
            out[at] = odds.literal(before, instead);
            state = state.after_literal();
            at += 1;
            continue;
        }
        let length;
        (length, state) = matched(&mut odds, state, &mut distances);
        for _ in 0..length.min(out.len() - at) {
            out[at] = out[at - distances[0] - 1];
            at += 1;
        }
    }
}

/// Reads one match, and makes the match's distance the newest. Returns the length and the next state.
fn matched(odds: &mut Odds, state: State, distances: &mut Distances) -> (usize, State) {
    if !odds.bit(Place::IsRep, state.0) {
        let length = odds.length(Place::Len);
        let distance = odds.distance(length);
        *distances = [distance, distances[0], distances[1], distances[2]];
        return (length, state.after(7, 10));
    }
    let which = if !odds.bit(Place::IsRepG0, state.0) {
        if !odds.bit(Place::IsRep0Long, state.0) {
            return (1, state.after(9, 11));
        }
        0
    } else if !odds.bit(Place::IsRepG1, state.0) {
        1
    } else {
        2 + usize::from(odds.bit(Place::IsRepG2, state.0))
    };
    let distance = distances[which];
    distances.copy_within(0..which, 1);
    distances[0] = distance;
    (odds.length(Place::RepLen), state.after(8, 11))
}

/// State by the last few items. Below 7, the last item was a literal.
#[derive(Clone, Copy)]
struct State(usize);

impl State {
    fn is_after_match(self) -> bool {
        self.0 >= 7
    }

    fn after_literal(self) -> Self {
        Self(match self.0 {
            0..4 => 0,
            4..10 => self.0 - 3,
            _ => self.0 - 6,
        })
    }

    fn after(self, a_literal: usize, a_match: usize) -> Self {
        Self(if self.is_after_match() { a_match } else { a_literal })
    }
}
