//! Options: each subsystem lists its parameters once, with type, default, range and a one-line description.
//!
//! The [`options!`](crate::options!) macro turns such a table into a struct. The GTP commands `list_options` and
//! `set_option`, the command line's `--set NAME=VALUE` and the documentation are generated from the same table.

use std::fmt;

use serde::Serialize;

use super::text::quoted;

/// The values that an option takes. `Display` writes the range as users read it: `true|false`, `1..256`, `a|b|c`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum OptionKind {
    /// `true` or `false`.
    Bool,
    /// A whole number within these bounds, both included.
    Integer {
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
    /// A number within these bounds, both included.
    Real {
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
    },
    /// One of several words.
    Choice {
        /// The words.
        choices: Vec<&'static str>,
    },
    /// Text.
    Text {
        /// Its form, such as `random|0..9` or `FILE`.
        #[serde(skip)]
        form: &'static str,
    },
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Bool => f.write_str("true|false"),
            OptionKind::Integer { min, max } => write!(f, "{min}..{max}"),
            OptionKind::Real { min, max } => write!(f, "{min}..{max}"),
            OptionKind::Choice { choices } => f.write_str(&choices.join("|")),
            OptionKind::Text { form } => f.write_str(form),
        }
    }
}

/// One option as shown to a user. As JSON, it lacks the method and the setter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OptionInfo {
    /// The name that `set_option` takes.
    pub name: &'static str,
    /// The present value.
    pub value: String,
    /// The default value.
    pub default: String,
    /// The type of the option and its legal values.
    #[serde(flatten)]
    pub kind: OptionKind,
    /// One line on what the option does.
    pub description: &'static str,
    /// The search method that the option belongs to (a value of the option `method`), or `None` if it always applies.
    #[serde(skip)]
    pub method: Option<&'static str>,
    /// Who may set it.
    #[serde(skip)]
    pub setter: Setter,
}

/// Who may set an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setter {
    /// Only whoever starts the engine: the option names a file, or decides how much of the machine the engine uses.
    Operator,
    /// Every client, for its own queries.
    Client,
}

/// Why an option was not set. Nothing has changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionError {
    /// No option has this name.
    Unknown(String),
    /// The value is of the wrong type or out of range.
    Value {
        /// The option.
        name: &'static str,
        /// The rejected value.
        value: String,
        /// The legal values.
        expected: OptionKind,
    },
    /// The thing that the value names, such as a file, cannot be used.
    Unusable {
        /// The option.
        name: &'static str,
        /// The rejected value.
        value: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// The option belongs to a search method other than the present one.
    OtherMethod {
        /// The option.
        name: &'static str,
        /// The method that it belongs to.
        method: &'static str,
        /// The presets that use this method.
        presets: Vec<&'static str>,
        /// The present method.
        present: &'static str,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name) => write!(f, "unknown option '{}'", quoted(name)),
            OptionError::Value { name, value, expected } => {
                write!(f, "invalid value '{}' for {name} (expected {expected})", quoted(value))
            }
            OptionError::Unusable { name, value, reason } => write!(f, "cannot use '{value}' for {name}: {reason}"),
            OptionError::OtherMethod { name, method, presets, present } => {
                let presets = match presets.split_last() {
                    Some((last, [])) => format!(" or preset {last}"),
                    Some((last, others)) => format!(", or preset {} or {last}", others.join(", ")),
                    None => String::new(),
                };
                write!(
                    f,
                    "option '{name}' belongs to method {method}, but the method is {present} \
                     (set method {method}{presets} first)"
                )
            }
        }
    }
}

impl std::error::Error for OptionError {}

/// A type that an option can have.
pub trait OptionValue: Sized + Clone + PartialEq {
    /// How the table states the legal values.
    type Range;
    /// The value that `text` stands for, or `None` if it is not a legal one.
    fn read(text: &str, range: &Self::Range) -> Option<Self>;
    /// The value as text that [`OptionValue::read`] accepts.
    fn show(&self) -> String;
    /// The type and the legal values, for users.
    fn kind(range: &Self::Range) -> OptionKind;
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
    fn kind(_: &()) -> OptionKind {
        OptionKind::Bool
    }
}

macro_rules! numeric_option {
    ($kind:ident of $bound:ty: $($t:ty),*) => {$(
        impl OptionValue for $t {
            type Range = std::ops::RangeInclusive<$t>;
            fn read(text: &str, range: &Self::Range) -> Option<$t> {
                text.parse().ok().filter(|x| range.contains(x))
            }
            fn show(&self) -> String {
                self.to_string()
            }
            fn kind(range: &Self::Range) -> OptionKind {
                // Via the decimal form, so that 0.1f32 becomes 0.1f64 and not the exact value of 0.1f32.
                let bound = |x: &$t| x.to_string().parse::<$bound>().expect("a number's decimal form is a number");
                OptionKind::$kind { min: bound(range.start()), max: bound(range.end()) }
            }
        }
    )*};
}
numeric_option!(Integer of u64: u32, u64, usize);
numeric_option!(Real of f64: f32, f64);

/// Defines an enum with named alternatives that can be the type of an option; its range is `()`.
#[macro_export]
macro_rules! option_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// All alternatives.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// The name of the alternative, as users write it.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl $crate::base::options::OptionValue for $name {
            type Range = ();
            fn read(text: &str, _: &()) -> Option<Self> {
                match text.to_ascii_lowercase().as_str() {
                    $($text => Some($name::$variant),)+
                    _ => None,
                }
            }
            fn show(&self) -> String {
                self.name().to_owned()
            }
            fn kind(_: &()) -> $crate::base::options::OptionKind {
                $crate::base::options::OptionKind::Choice { choices: vec![$($text),+] }
            }
        }
    };
}

/// Defines a struct of options.
///
/// Each row is `name: type = default, in range, "description";`, where the description is also the field's
/// documentation. Only the operator sets the option, unless the row says `set by Client,` before its description:
/// see [`Setter`](crate::base::options::Setter). A row `..name: type, for "METHOD";` at the end includes another table:
/// options that only this search method uses.
#[macro_export]
macro_rules! options {
    ($(#[$meta:meta])* pub struct $struct:ident {
        $($field:ident: $type:ty = $default:expr, in $range:expr, $(set by $setter:ident,)? $description:literal;)+
        $(..$part:ident: $table:ty, for $method:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $struct {
            $(#[doc = $description] pub $field: $type,)+
            $(#[doc = concat!("Options of the method ", $method, ".")] pub $part: $table,)*
        }

        impl Default for $struct {
            fn default() -> Self {
                $struct { $($field: $default,)+ $($part: <$table>::default(),)* }
            }
        }

        impl $struct {
            /// All options, in the order of their table.
            pub fn list(&self) -> Vec<$crate::base::options::OptionInfo> {
                use $crate::base::options::OptionValue;
                let defaults = <$struct as Default>::default();
                let options = vec![$($crate::base::options::OptionInfo {
                    name: stringify!($field),
                    value: self.$field.show(),
                    default: defaults.$field.show(),
                    kind: <$type as OptionValue>::kind(&$range),
                    description: $description,
                    method: None,
                    setter: [
                        $($crate::base::options::Setter::$setter,)?
                        $crate::base::options::Setter::Operator,
                    ][0],
                }),+];
                $(
                    let of_method = |option| $crate::base::options::OptionInfo { method: Some($method), ..option };
                    let options: Vec<_> = options.into_iter().chain(self.$part.list().into_iter().map(of_method)).collect();
                )*
                options
            }

            /// Sets an option from text, whatever the search method is.
            ///
            /// # Errors
            /// If no option has this name or the value is not legal. Nothing has changed then.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::base::options::OptionError> {
                use $crate::base::options::{OptionError, OptionValue};
                match name {
                    $(stringify!($field) => {
                        self.$field = <$type as OptionValue>::read(value, &$range).ok_or_else(|| OptionError::Value {
                            name: stringify!($field),
                            value: value.to_owned(),
                            expected: <$type as OptionValue>::kind(&$range),
                        })?;
                        Ok(())
                    })+
                    _ => {
                        $(match self.$part.set(name, value) {
                            Err(OptionError::Unknown(_)) => {}
                            other => return other,
                        })*
                        Err(OptionError::Unknown(name.to_owned()))
                    }
                }
            }
        }
    };
}

/// The name of an option in its table, from what a user typed: case does not matter, and `-` stands for `_`.
pub fn canonical_name(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
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
        pub struct Part {
            ratio: f32 = 0.5, in 0.1..=1.0, "a ratio";
        }
    }
    options! {
        /// Test.
        pub struct Sample {
            count: u32 = 5, in 1..=10, set by Client, "a count";
            on: bool = true, in (), "a switch";
            mode: Mode = Mode::Fast, in (), "a choice";
            ..slow: Part, for "slow";
        }
    }

    #[test]
    fn options_are_listed_with_value_default_type_description_and_method() {
        let mut sample = Sample::default();
        sample.set("count", "7").unwrap();
        let [count, on, mode, ratio] = sample.list().try_into().unwrap();
        assert_eq!(
            (count.name, &count.value[..], &count.default[..], count.description),
            ("count", "7", "5", "a count")
        );
        assert_eq!((count.kind, count.method), (OptionKind::Integer { min: 1, max: 10 }, None));
        assert_eq!((count.setter, on.setter), (Setter::Client, Setter::Operator));
        assert_eq!((ratio.kind, ratio.method), (OptionKind::Real { min: 0.1, max: 1.0 }, Some("slow")));
        assert_eq!((&on.value[..], on.kind), ("true", OptionKind::Bool));
        assert_eq!((&mode.default[..], mode.kind), ("fast", OptionKind::Choice { choices: vec!["fast", "slow"] }));
    }

    #[test]
    fn ranges_are_shown_as_users_write_them() {
        let shown: Vec<String> = Sample::default().list().iter().map(|option| option.kind.to_string()).collect();
        assert_eq!(shown, ["1..10", "true|false", "fast|slow", "0.1..1"]);
        assert_eq!(OptionKind::Text { form: "random|0..9" }.to_string(), "random|0..9");
    }

    #[test]
    fn errors_name_the_option_the_value_and_what_is_expected() {
        let mut sample = Sample::default();
        let mut error = |name, value| sample.set(name, value).unwrap_err().to_string();
        assert_eq!(error("count", "11"), "invalid value '11' for count (expected 1..10)");
        assert_eq!(error("mode", ""), "invalid value '' for mode (expected fast|slow)");
        assert_eq!(error("speed", "1"), "unknown option 'speed'");
        for (name, value) in [("count", "0"), ("count", "x"), ("ratio", "nan"), ("on", "2")] {
            assert!(matches!(sample.set(name, value), Err(OptionError::Value { .. })), "{name} {value}");
        }
        assert_eq!(sample, Sample::default());
        sample.set("mode", "SLOW").unwrap();
        assert_eq!((sample.mode, sample.mode.name(), Mode::ALL), (Mode::Slow, "slow", &[Mode::Fast, Mode::Slow][..]));
    }
}
