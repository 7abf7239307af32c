//! How tickers and histograms are declared: one row each, with number, variant and name.

/// Makes an enum from rows `number Variant "name";`. The numbers are those of the C interface,
/// consecutive from 0, which the compiler checks.
macro_rules! define_kinds {
    ($(#[$meta:meta])* $Kind:ident $($number:literal $Variant:ident $name:literal;)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum $Kind {
            $(#[doc = concat!("`", $name, "`")] $Variant = $number,)*
        }

        impl $Kind {
            /// All of them, by number.
            pub const ALL: &'static [$Kind] = &[$($Kind::$Variant),*];

            const NAMES: &'static [&'static str] = &[$($name),*];

            const NUMBERED: () = {
                let mut i = 0;
                while i < Self::ALL.len() {
                    assert!(Self::ALL[i] as usize == i, "numbers are consecutive from 0");
                    i += 1;
                }
            };

            /// How many there are.
            pub const COUNT: usize = {
                let () = Self::NUMBERED;
                Self::ALL.len()
            };

            /// Its name, as RocksDB's statistics print it.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// The one with this number in the C interface.
            pub fn from_number(number: u32) -> Option<$Kind> {
                Self::ALL.get(number as usize).copied()
            }
        }
    };
}
pub(crate) use define_kinds;
