//! The turn limit (D-6): what it is where nothing says another, the warning two turns before it, and the end at it.

use super::address::{Address, address};
use super::event::Exit;
use super::{Discussion, Due, Stage};
use crate::item::persona::Cast;

/// The turn limit where messages come one by one and nothing says another.
pub const TURNS_ONE_BY_ONE: u32 = 60;

/// The turn limit of a discussion at a menu of an analysis that has a script, where nothing says another.
pub const TURNS_AT_A_MENU: u32 = 10;

/// The turn limit where all messages are known and nothing says another (D-6): every message is heard and
/// answered. "done" alone is no message.
pub fn default_turns<'t>(messages: impl Iterator<Item = &'t str>, cast: &Cast) -> u32 {
    let only_ends = Address::Exit { has_content: false };
    let count = messages.filter(|text| address(text, cast, false) != only_ends).count();
    u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(4).saturating_add(3).clamp(10, 100_000)
}

impl Discussion<'_> {
    /// Turns until the limit.
    pub fn turns_left(&self) -> u32 {
        self.opened.max_turns.saturating_sub(self.state.turn)
    }

    /// Reaching the turn limit ends the discussion at once, in the middle of a round too.
    pub(super) fn reached_limit(&mut self) -> bool {
        let reached = self.state.turn >= self.opened.max_turns;
        if reached {
            self.state.due.push_back(Due::Limit);
            self.state.stage = Stage::Summarizing(Exit::TurnLimit);
        }
        reached
    }

    pub(super) fn warn(&mut self) {
        if self.state.turn + 2 == self.opened.max_turns {
            self.state.due.push_back(Due::Warning);
        }
    }
}
