//! RFC 3339 timestamps: written in UTC with microseconds, read with up to nine fractional digits.

use alloc::string::String;

/// Last microsecond of the year 9999, the end of the RFC 3339 range.
pub const MAX_MICROS: u64 = 253_402_300_799_999_999;

/// Formats microseconds since 1970, for example as `2026-11-20T10:00:00.123456Z`.
///
/// Times after [`MAX_MICROS`] are written as [`MAX_MICROS`].
#[inline(never)]
pub fn format_micros(micros: u64) -> String {
    let micros = micros.min(MAX_MICROS);
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    let (year, month, day) = civil_from_days(seconds / 86_400);
    let second_of_day = seconds % 86_400;
    let mut text = *b"0000-00-00T00:00:00.000000Z";
    write_digits(&mut text[0..4], year);
    write_digits(&mut text[5..7], month);
    write_digits(&mut text[8..10], day);
    write_digits(&mut text[11..13], second_of_day / 3600);
    write_digits(&mut text[14..16], second_of_day / 60 % 60);
    write_digits(&mut text[17..19], second_of_day % 60);
    write_digits(&mut text[20..26], fraction);
    String::from_utf8(text.to_vec()).unwrap_or_default()
}

/// Reads microseconds since 1970 from a text in the format of [`format_micros`]. Returns `None` for any other text.
#[inline(never)]
pub fn parse_micros(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    if bytes.len() != 27 {
        return None;
    }
    let field = |from: usize, until: usize| number(&bytes[from..until]).map(u64::from);
    let days = days_from_civil(field(0, 4)?, field(5, 7)?, field(8, 10)?)?;
    let seconds = ((days * 24 + field(11, 13)?) * 60 + field(14, 16)?) * 60 + field(17, 19)?;
    let micros = seconds * 1_000_000 + field(20, 26)?;
    (format_micros(micros) == text).then_some(micros)
}

/// Returns the day number of a date, counted from 1970-01-01. It is the inverse of [`civil_from_days`].
fn days_from_civil(year: u64, month: u64, day: u64) -> Option<u64> {
    let year = year.checked_sub(u64::from(month <= 2))?;
    let year_of_era = year % 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day;
    let days = year / 400 * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    days.checked_sub(719_469)
}

fn write_digits(target: &mut [u8], mut number: u64) {
    for digit in target.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Returns year, month and day of a day number counted from 1970-01-01, in the proleptic Gregorian calendar
/// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// Returns true for an RFC 3339 date-time with upper-case `T` and `Z`, and at most nine fractional digits.
pub fn is_rfc3339(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 20 && is_date_and_time(&bytes[..19]) && is_zone(after_fraction(&bytes[19..]))
}

fn is_date_and_time(bytes: &[u8]) -> bool {
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    let fields = (|| {
        Some((
            number(&bytes[0..4])?,
            number(&bytes[5..7])?,
            number(&bytes[8..10])?,
            number(&bytes[11..13])?,
            number(&bytes[14..16])?,
            number(&bytes[17..19])?,
        ))
    })();
    let Some((year, month, day, hour, minute, second)) = fields else { return false };
    separators.iter().all(|&(at, separator)| bytes[at] == separator)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60
}

/// Returns the number of days in a month, or 0 for a month that does not exist.
const fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// Returns the bytes after the fraction. Returns no bytes if the fraction does not have one to nine digits.
fn after_fraction(bytes: &[u8]) -> &[u8] {
    match bytes.strip_prefix(b".") {
        None => bytes,
        Some(rest) => {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            if (1..=9).contains(&digits) { &rest[digits..] } else { &[] }
        }
    }
}

fn is_zone(bytes: &[u8]) -> bool {
    match bytes {
        b"Z" => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => {
            number(&[*h1, *h2]).is_some_and(|hour| hour < 24)
                && number(&[*m1, *m2]).is_some_and(|minute| minute < 60)
        }
        _ => false,
    }
}

#[inline(never)]
fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, b| b.is_ascii_digit().then(|| sum * 10 + u32::from(b - b'0')))
}
