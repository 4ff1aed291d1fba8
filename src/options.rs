//! Options: every tunable of a subsystem with its default, its range and one line of meaning, written once.
//!
//! The [`options!`](crate::options!) macro makes a struct of options from one table. From the same table come the
//! GTP commands `list_options` and `set_option`, the command line's `--set NAME=VALUE`, and the documentation.

use std::fmt;

/// One option as shown to a user.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionInfo {
    /// The name that `set_option` takes.
    pub name: &'static str,
    /// The present value.
    pub value: String,
    /// The default value.
    pub default: String,
    /// What values are legal: `true|false`, `0..100`, or the names of the alternatives separated by `|`.
    pub range: String,
    /// One line of meaning.
    pub meaning: &'static str,
}

/// Why an option was not set. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// There is no option of this name.
    Unknown(String),
    /// The value is not in the option's range.
    Value {
        /// The option.
        name: &'static str,
        /// The refused value.
        value: String,
        /// What values are legal.
        range: String,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name) => write!(f, "there is no option '{name}'"),
            OptionError::Value { name, value, range } => {
                write!(f, "'{value}' is no value of {name}: {range} is wanted")
            }
        }
    }
}

impl std::error::Error for OptionError {}

/// A type that an option can have: read from text within a range, and printed.
pub trait OptionValue: Sized + Clone + PartialEq {
    /// The form of the range.
    type Range;
    /// The value that `text` names, if it is in the range.
    fn read(text: &str, range: &Self::Range) -> Option<Self>;
    /// The value as text.
    fn show(&self) -> String;
    /// The range as text.
    fn show_range(range: &Self::Range) -> String;
}

impl OptionValue for bool {
    type Range = ();
    fn read(text: &str, _: &()) -> Option<bool> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" | "yes" => Some(true),
            "false" | "off" | "0" | "no" => Some(false),
            _ => None,
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
    fn show_range(_: &()) -> String {
        "true|false".into()
    }
}

macro_rules! numeric_option {
    ($($t:ty),*) => {$(
        impl OptionValue for $t {
            type Range = std::ops::RangeInclusive<$t>;
            fn read(text: &str, range: &Self::Range) -> Option<$t> {
                text.parse().ok().filter(|x| range.contains(x))
            }
            fn show(&self) -> String {
                self.to_string()
            }
            fn show_range(range: &Self::Range) -> String {
                format!("{}..{}", range.start(), range.end())
            }
        }
    )*};
}
numeric_option!(u32, u64, usize, f32, f64);

/// Makes an enum whose alternatives have names, usable as an option; its range is `()`.
#[macro_export]
macro_rules! option_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $crate::options::OptionValue for $name {
            type Range = ();
            fn read(text: &str, _: &()) -> Option<Self> {
                match text.to_ascii_lowercase().as_str() {
                    $($text => Some($name::$variant),)+
                    _ => None,
                }
            }
            fn show(&self) -> String {
                match self { $($name::$variant => $text),+ }.to_owned()
            }
            fn show_range(_: &()) -> String {
                [$($text),+].join("|")
            }
        }
    };
}

/// Makes a struct of options.
///
/// Each row is `name: type = default, in range, "meaning"`; the meaning is the field's documentation too.
#[macro_export]
macro_rules! options {
    ($(#[$meta:meta])* pub struct $struct:ident { $($field:ident: $type:ty = $default:expr, in $range:expr, $meaning:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $struct { $(#[doc = $meaning] pub $field: $type),+ }

        impl Default for $struct {
            fn default() -> Self {
                $struct { $($field: $default),+ }
            }
        }

        impl $struct {
            /// All options, in the order of their table.
            pub fn list(&self) -> Vec<$crate::options::OptionInfo> {
                use $crate::options::OptionValue;
                let defaults = <$struct as Default>::default();
                vec![$($crate::options::OptionInfo {
                    name: stringify!($field),
                    value: self.$field.show(),
                    default: defaults.$field.show(),
                    range: <$type as OptionValue>::show_range(&$range),
                    meaning: $meaning,
                }),+]
            }

            /// Sets an option from text.
            ///
            /// # Errors
            /// If there is no such option or the value is not in its range; nothing has changed then.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::options::OptionError> {
                use $crate::options::{OptionError, OptionValue};
                match name {
                    $(stringify!($field) => {
                        self.$field = <$type as OptionValue>::read(value, &$range).ok_or_else(|| OptionError::Value {
                            name: stringify!($field),
                            value: value.to_owned(),
                            range: <$type as OptionValue>::show_range(&$range),
                        })?;
                        Ok(())
                    })+
                    _ => Err(OptionError::Unknown(name.to_owned())),
                }
            }
        }
    };
}

/// Option names of version 0.1 and what they are called now. They are accepted for one release and listed nowhere.
const OLD_NAMES: &[(&str, &str)] = &[
    ("playouts", "simulations"),
    ("puct", "c_puct"),
    ("exploration", "c_uct"),
    ("reduction", "fpu_reduction"),
    ("rollouts", "leaf_playouts"),
    ("rollout_weight", "leaf_playout_weight"),
    ("expand", "expand_visits"),
    ("pairs", "pair_threats"),
    ("threats", "threat_search_visits"),
    ("sequence", "threat_search_nodes"),
    ("heed", "threat_search_penalty"),
    ("solve", "solver_rate"),
    ("solve_large", "solver_rate_large"),
    ("answer", "bridge_reply"),
    ("answer_small", "bridge_reply_small"),
    ("start", "initial_weights"),
];

/// The name of an option as its table has it, from what a user typed: case does not matter, `-` stands for `_`, and the
/// names of version 0.1 still work.
pub fn canonical_name(name: &str) -> String {
    let key = name.to_ascii_lowercase().replace('-', "_");
    match OLD_NAMES.iter().find(|(old, _)| *old == key) {
        Some((_, new)) => (*new).to_owned(),
        None => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    option_enum! {
        /// Test.
        pub enum Mode { Fast = "fast", Slow = "slow" }
    }
    options! {
        /// Test.
        pub struct Sample {
            count: u32 = 5, in 1..=10, "a count";
            ratio: f32 = 0.5, in 0.0..=1.0, "a ratio";
            on: bool = true, in (), "a switch";
            mode: Mode = Mode::Fast, in (), "a choice";
        }
    }

    #[test]
    fn options_are_listed_with_name_value_default_range_and_meaning() {
        let mut sample = Sample::default();
        sample.set("count", "7").unwrap();
        let rows: Vec<_> =
            sample.list().into_iter().map(|o| (o.name, o.value, o.default, o.range, o.meaning)).collect();
        let row = |a: &'static str, b: &str, c: &str, d: &str, e| (a, b.to_owned(), c.to_owned(), d.to_owned(), e);
        assert_eq!(rows[0], row("count", "7", "5", "1..10", "a count"));
        assert_eq!(rows[2], row("on", "true", "true", "true|false", "a switch"));
        assert_eq!(rows[3], row("mode", "fast", "fast", "fast|slow", "a choice"));
    }

    #[test]
    fn bad_names_and_values_change_nothing_and_are_named() {
        let mut sample = Sample::default();
        for (name, value) in
            [("count", "0"), ("count", "11"), ("count", "x"), ("ratio", "nan"), ("on", "2"), ("mode", "")]
        {
            let message = sample.set(name, value).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains(value), "{message}");
        }
        assert_eq!(sample.set("speed", "1"), Err(OptionError::Unknown("speed".into())));
        assert_eq!(sample, Sample::default());
        sample.set("mode", "SLOW").unwrap();
        assert_eq!(sample.mode, Mode::Slow);
    }
}
