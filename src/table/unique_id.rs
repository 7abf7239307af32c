//! Unique ids of table files: a function of the database's id, the session's id, and the file's
//! number, as the MANIFEST stores it (RocksDB: `table/unique_id.cc`).

use crate::base::status::{Result, Status};
use crate::plug::table_properties::TableProperties;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The characters of a session id.
pub const SESSION_ID_LEN: usize = 20;
const LOW_62: u64 = u64::MAX >> 2;

/// The text of the session id made of `upper`, of which about 39 bits count, and `lower`, which
/// the text keeps whole and must not be 0.
pub fn encode_session_id(upper: u64, lower: u64) -> String {
    let mut text = [0; SESSION_ID_LEN];
    put_base36(&mut text[..8], (upper << 2) | (lower >> 62));
    put_base36(&mut text[8..], lower & LOW_62);
    text.iter().map(|&b| char::from(b)).collect()
}

fn put_base36(out: &mut [u8], mut value: u64) {
    for digit in out.iter_mut().rev() {
        *digit = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(value % 36) as usize];
        value /= 36;
    }
}

fn parse_base36(text: &[u8]) -> Result<u64> {
    text.iter().try_fold(0u64, |value, &byte| {
        let digit = char::from(byte)
            .to_digit(36)
            .ok_or_else(|| Status::not_supported("Bad digit in db_session_id"))?;
        Ok(value.wrapping_mul(36).wrapping_add(u64::from(digit)))
    })
}

/// The upper and lower numbers in a session id's text.
pub fn decode_session_id(text: &str) -> Result<(u64, u64)> {
    match text.len() {
        0 => return Err(Status::not_supported("Missing db_session_id")),
        1..13 => return Err(Status::not_supported("Too short db_session_id")),
        13..25 => {}
        _ => return Err(Status::not_supported("Too long db_session_id")),
    }
    let (front, back) = text.as_bytes().split_at(text.len() - 12);
    let (a, b) = (parse_base36(front)?, parse_base36(back)?);
    Ok((a >> 2, (b & LOW_62) | (a << 62)))
}

/// The unique id of file `file_number`, in the internal form that MANIFESTs hold. `[0, 0]` is no
/// file's id. Fails when a part is missing.
pub fn unique_id(db_id: &str, db_session_id: &str, file_number: u64) -> Result<[u64; 2]> {
    if db_id.is_empty() {
        return Err(Status::not_supported("Missing db_id"));
    }
    if file_number == 0 {
        return Err(Status::not_supported("Missing or bad file number"));
    }
    let (session_upper, session_lower) = decode_session_id(db_session_id)?;
    let hash = xxh3_128_with_seed(db_id.as_bytes(), session_upper);
    Ok([session_lower, (hash >> 64) as u64 ^ file_number])
}

/// The unique id of the file with these properties.
pub fn unique_id_of(properties: &TableProperties) -> Result<[u64; 2]> {
    unique_id(&properties.db_id, &properties.db_session_id, properties.orig_file_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn session_ids_round_trip() {
        let mut random = Random::from_env(51);
        for _ in 0..1000 {
            let (upper, lower) = (random.next_u64() >> 25, random.next_u64());
            let text = encode_session_id(upper, lower);
            assert_eq!(text.len(), SESSION_ID_LEN);
            assert_eq!(decode_session_id(&text).unwrap(), (upper, lower));
        }
        assert!(decode_session_id("").is_err());
        assert!(decode_session_id("ABC").is_err());
        assert!(decode_session_id("0123456789ABCDEF-HIJ").is_err());
        assert!(decode_session_id(&"0".repeat(25)).is_err());
    }

    #[test]
    fn missing_parts_are_errors() {
        let session = encode_session_id(1, 2);
        assert!(unique_id("", &session, 1).is_err());
        assert!(unique_id("db", "", 1).is_err());
        assert!(unique_id("db", &session, 0).is_err());
        let id = unique_id("db", &session, 1).unwrap();
        assert_eq!(id[0], 2);
        assert_eq!(unique_id("db", &session, 3).unwrap()[1], id[1] ^ 1 ^ 3);
    }
}
