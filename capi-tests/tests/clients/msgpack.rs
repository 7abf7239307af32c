//! As much of MessagePack as balboa's protocol needs.

/// A value that was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Number(u64),
    Bytes(Vec<u8>),
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// The value under the key `key` of a map.
    pub fn get(&self, key: &str) -> &Value {
        let Value::Map(pairs) = self else { panic!("{self:?} is no map") };
        let found = pairs.iter().find(|(name, _)| *name == Value::Bytes(key.into()));
        &found.unwrap_or_else(|| panic!("{self:?} has no {key}")).1
    }

    pub fn number(&self) -> u64 {
        let Value::Number(number) = self else { panic!("{self:?} is no number") };
        *number
    }

    pub fn bytes(&self) -> &[u8] {
        let Value::Bytes(bytes) = self else { panic!("{self:?} is no string") };
        bytes
    }
}

/// The first value of `input`, which is moved behind it; `None` if more input is needed.
pub fn decode(input: &mut &[u8]) -> Option<Value> {
    let tag = number(input, 1)? as u8;
    Some(match tag {
        0..=0x7f => Value::Number(u64::from(tag)),
        0x80..=0x8f => {
            let pairs = (0..tag & 0xf).map(|_| Some((decode(input)?, decode(input)?)));
            Value::Map(pairs.collect::<Option<_>>()?)
        }
        0xa0..=0xbf => Value::Bytes(take(input, usize::from(tag & 0x1f))?.to_vec()),
        0xc2 | 0xc3 => Value::Number(u64::from(tag & 1)),
        // Strings of bytes and of characters.
        0xc4 | 0xd9 => bytes(input, 1)?,
        0xc5 | 0xda => bytes(input, 2)?,
        0xc6 | 0xdb => bytes(input, 4)?,
        0xcc => Value::Number(number(input, 1)?),
        0xcd => Value::Number(number(input, 2)?),
        0xce => Value::Number(number(input, 4)?),
        0xcf => Value::Number(number(input, 8)?),
        // A time in seconds, of 4 bytes.
        0xd6 => {
            take(input, 1)?;
            Value::Number(number(input, 4)?)
        }
        other => panic!("unexpected tag {other:#x}"),
    })
}

fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(taken)
}

fn number(input: &mut &[u8], len: usize) -> Option<u64> {
    Some(take(input, len)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn bytes(input: &mut &[u8], len: usize) -> Option<Value> {
    let len = number(input, len)? as usize;
    Some(Value::Bytes(take(input, len)?.to_vec()))
}

/// A value to be sent, as bytes.
pub fn map(pairs: &[(&str, Vec<u8>)]) -> Vec<u8> {
    assert!(pairs.len() < 16);
    let mut out = vec![0x80 | pairs.len() as u8];
    for (name, value) in pairs {
        out.extend(text(name));
        out.extend(value);
    }
    out
}

/// A string.
pub fn text(text: &str) -> Vec<u8> {
    [&[0xd9, u8::try_from(text.len()).unwrap()], text.as_bytes()].concat()
}

/// A string of bytes.
pub fn blob(bytes: &[u8]) -> Vec<u8> {
    let len = u16::try_from(bytes.len()).unwrap().to_be_bytes();
    [&[0xc5], &len[..], bytes].concat()
}

pub fn uint(number: u32) -> Vec<u8> {
    [&[0xce], &number.to_be_bytes()[..]].concat()
}

/// A time in seconds.
pub fn time(seconds: u32) -> Vec<u8> {
    [&[0xd6, 0xff], &seconds.to_be_bytes()[..]].concat()
}

pub fn flag(flag: bool) -> Vec<u8> {
    vec![0xc2 | u8::from(flag)]
}
