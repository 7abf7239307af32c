//! Why a workload gave no figure.

use std::fmt;

/// The two reasons.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The library has no function for it: this workload is left out, the others run.
    Unavailable(String),
    /// Something went wrong: the program ends.
    Error(String),
}

pub type Result<T> = std::result::Result<T, Failure>;

/// How the program ends if the library cannot do anything of what was asked.
pub const UNAVAILABLE: u8 = 3;

impl Failure {
    /// How the program ends for this reason.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Unavailable(_) => UNAVAILABLE,
            Failure::Error(_) => 1,
        }
    }

    /// The same failure, with what was being done before its text.
    pub fn during(self, what: &str) -> Failure {
        match self {
            Failure::Error(text) => Failure::Error(format!("{what}: {text}")),
            unavailable @ Failure::Unavailable(_) => unavailable,
        }
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::Error(text)
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Failure {
        Failure::Error(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Failure::Unavailable(text) | Failure::Error(text)) = self;
        f.write_str(text)
    }
}
