//! Tests that ids always increase, and that other libraries read the timestamps.

use alvarium_core::{
    timestamp::{MAX_MICROS, format_micros, is_rfc3339},
    ulid::{Ulid, UlidGenerator},
};
use proptest::prelude::*;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Reads an id with the crate `ulid`.
fn read(id: Ulid) -> ulid::Ulid {
    ulid::Ulid::from_string(id.as_str()).unwrap()
}

#[test]
fn within_a_millisecond_ids_count_up() {
    let mut ids = UlidGenerator::default();
    let (first, second) = (read(ids.next(5, 100)), read(ids.next(5, 7)));
    assert_eq!((first.timestamp_ms(), first.random()), (5, 100));
    assert_eq!(second.0, first.0 + 1);
}

#[test]
fn when_the_clock_steps_back_ids_go_on_from_the_last() {
    let mut ids = UlidGenerator::default();
    let first = read(ids.next(1000, 1));
    assert_eq!(read(ids.next(10, 2)).0, first.0 + 1);
    assert_eq!(read(ids.next(1001, 3)), ulid::Ulid::from_parts(1001, 3));
}

#[test]
fn when_the_random_part_is_used_up_the_carry_runs_into_the_time() {
    let mut ids = UlidGenerator::default();
    let first = ids.next(5, u128::MAX);
    let second = ids.next(5, 0);
    assert!(second > first);
    let second = read(second);
    assert_eq!((second.timestamp_ms(), second.random()), (6, 0));
}

// claim: threats-11
#[test]
fn an_id_has_one_spelling() {
    let text = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    assert_eq!(Ulid::parse(text).unwrap().as_str(), text);
    for other in [
        "01arz3ndektsv4rrffq69g5fav",
        "O1ARZ3NDEKTSV4RRFFQ69G5FAV",
        "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "01ARZ3NDEKTSV4RRFFQ69G5FUV",
        "01ARZ3NDEKTSV4RRFFQ69G5FA-",
        "01ARZ3NDEKTSV4RRFFQ69G5FÄ",
        "",
        "01ARZ3NDEKTSV4RRFFQ69G5FA",
    ] {
        assert_eq!(Ulid::parse(other), None, "{other}");
    }
}

#[test]
fn known_moments_are_written_as_everybody_writes_them() {
    assert_eq!(format_micros(0), "1970-01-01T00:00:00.000000Z");
    assert_eq!(format_micros(951_782_400_000_001), "2000-02-29T00:00:00.000001Z");
    assert_eq!(format_micros(MAX_MICROS), "9999-12-31T23:59:59.999999Z");
    assert_eq!(format_micros(u64::MAX), "9999-12-31T23:59:59.999999Z");
}

// claim: format-17
#[test]
fn every_form_of_rfc_3339_that_other_sdks_write_is_accepted() {
    for good in [
        "2026-11-20T10:00:00Z",
        "2026-11-20T10:00:00.1Z",
        "2026-11-20T10:00:00.123456789+05:30",
        "2024-02-29T23:59:60-00:00",
        "2026-11-20T10:00:60Z",
        "2000-02-29T10:00:00+23:59",
    ] {
        assert!(is_rfc3339(good), "{good}");
    }
}

#[test]
fn what_only_looks_like_a_timestamp_is_refused() {
    for bad in [
        "",
        "2026-11-20",
        "2026-11-20T10:00:00",
        "2026-11-20t10:00:00Z",
        "2026-11-20T10:00:00z",
        "2026-11-20 10:00:00Z",
        "2026-13-20T10:00:00Z",
        "2026-00-20T10:00:00Z",
        "2026-02-29T10:00:00Z",
        "2100-02-29T10:00:00Z",
        "2026-11-31T10:00:00Z",
        "2026-11-00T10:00:00Z",
        "2026-11-20T24:00:00Z",
        "2026-11-20T10:60:00Z",
        "2026-11-20T10:00:61Z",
        "2026-11-20T10:00:00.Z",
        "2026-11-20T10:00:00.1234567890Z",
        "2026-11-20T10:00:00+5:30",
        "2026-11-20T10:00:00+24:00",
        "2026-11-20T10:00:00+00:60",
        "2026-11-20T10:00:00Z ",
        "2026-11-20T10:00:00[Europe/Paris]",
        "+026-11-20T10:00:00Z",
        "２026-11-20T10:00:00Z",
    ] {
        assert!(!is_rfc3339(bad), "{bad}");
    }
}

#[test]
fn every_day_to_the_end_of_2400_and_the_first_and_last_of_each_year_is_another_librarys() {
    const DAY: u64 = 86_400_000_000;
    let is_same = |micros: u64| {
        let read = OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1000).unwrap();
        assert_eq!(format_micros(micros)[..10], read.date().to_string());
    };
    (0..=157_421).for_each(|day| is_same(day * DAY));
    for year in 1971..=9999 {
        let first = time::Date::from_calendar_date(year, time::Month::January, 1).unwrap().midnight();
        let micros = (first.assume_utc().unix_timestamp_nanos() / 1000) as u64;
        is_same(micros);
        is_same(micros - 1);
    }
}

proptest! {
    #[test]
    fn ids_always_increase(steps in prop::collection::vec((any::<u16>(), any::<u128>()), 1..200)) {
        let mut ids = UlidGenerator::default();
        let made: Vec<Ulid> = steps.into_iter().map(|(millis, entropy)| ids.next(millis.into(), entropy)).collect();
        prop_assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn an_id_is_read_as_it_is_written(number: u128) {
        let id = Ulid::from(ulid::Ulid(number));
        prop_assert_eq!(read(id).0, number);
        prop_assert_eq!(Ulid::parse(id.as_str()), Some(id));
    }

    #[test]
    fn only_the_digits_of_crockford_are_read(text in "[0-9][0-9A-Z]{25}") {
        let is_digit = |letter: char| letter.is_ascii_digit() || "ABCDEFGHJKMNPQRSTVWXYZ".contains(letter);
        let is_canonical = text.starts_with(|first: char| first <= '7') && text.chars().all(is_digit);
        prop_assert_eq!(Ulid::parse(&text).is_some(), is_canonical, "{}", text);
    }

    #[test]
    fn another_library_reads_the_same_moment(micros in 0..=MAX_MICROS) {
        let text = format_micros(micros);
        prop_assert!(is_rfc3339(&text));
        let read = OffsetDateTime::parse(&text, &Rfc3339).unwrap();
        prop_assert_eq!(read.unix_timestamp_nanos(), i128::from(micros) * 1000);
    }

    #[test]
    fn another_library_reads_what_is_accepted(text in r"[0-2][0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-][0-2][0-9]:[0-6][0-9])") {
        prop_assert_eq!(is_rfc3339(&text), OffsetDateTime::parse(&text, &Rfc3339).is_ok(), "{}", text);
    }
}
