//! Reading the fields of a JSON object, with errors that name the field.

use std::fmt;
use std::ops::RangeInclusive;

use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};
use serde_json::{Map, Value};

use crate::base::options::OptionValue;
use crate::base::text::{quoted, shortened};
use crate::game::{Color, Geometry, MAX_SIDE, MIN_SIDE, Notation, Vertex};

/// The longest message about a field, in characters.
const LONGEST_MESSAGE: usize = 250;

/// What is wrong with a field of a query.
pub(super) struct FieldError {
    /// The name of the field.
    pub field: String,
    /// What is wrong, beginning with the name of the field or of the element in it.
    pub message: String,
}

impl FieldError {
    /// An error about a whole field.
    pub fn new(field: &str, reason: impl fmt::Display) -> FieldError {
        FieldError::at(field, format_args!("{field}"), reason)
    }

    /// An error about one element of a list, counted from 0.
    pub fn with_index(field: &str, index: usize, reason: impl fmt::Display) -> FieldError {
        FieldError::at(field, format_args!("{field}[{index}]"), reason)
    }

    /// An error about one value of an object.
    pub fn with_name(field: &str, name: &str, reason: impl fmt::Display) -> FieldError {
        FieldError::at(field, format_args!("{field}.{}", quoted(name)), reason)
    }

    /// An error about a part of a field. The message is one line, and not longer than people read.
    fn at(field: &str, part: impl fmt::Display, reason: impl fmt::Display) -> FieldError {
        FieldError { field: field.to_owned(), message: shortened(&format!("{part}: {reason}"), LONGEST_MESSAGE) }
    }
}

/// The beginning of a value as JSON text.
pub(super) fn shown(value: &Value) -> String {
    quoted(&value.to_string())
}

fn mismatch(expected: &str, value: &Value) -> String {
    format!("expected {expected}, got {}", shown(value))
}

/// The fields of an object that were not read yet. A field that is null counts as absent.
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    pub fn new(object: Map<String, Value>) -> Fields {
        Fields(object)
    }

    /// The names of the fields that were not read.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name.as_str())
    }

    /// Whether a field is there that was not read.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    /// Takes a field, if it is there.
    pub fn value(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    /// Takes a field and converts it with `read`.
    fn read<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, FieldError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        read(&value).map(Some).ok_or_else(|| FieldError::new(name, mismatch(expected, &value)))
    }

    /// Takes a required field.
    pub fn required<T>(&mut self, name: &str, read: Reader<T>) -> Result<T, FieldError> {
        read(self, name)?.ok_or_else(|| FieldError::new(name, "missing"))
    }

    pub fn string(&mut self, name: &str) -> Result<Option<String>, FieldError> {
        self.read(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// Bytes, given as a text in base64.
    pub fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, FieldError> {
        self.read(name, "a string in base64", |value| BASE64.decode(value.as_str()?).ok())
    }

    pub fn bool(&mut self, name: &str) -> Result<Option<bool>, FieldError> {
        self.read(name, "true or false", Value::as_bool)
    }

    pub fn integer(&mut self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, FieldError> {
        let expected = format!("an integer from {} to {}", range.start(), range.end());
        self.read(name, &expected, |value| value.as_u64().filter(|number| range.contains(number)))
    }

    /// An integer that may be negative.
    pub fn signed(&mut self, name: &str) -> Result<Option<i64>, FieldError> {
        self.read(name, "an integer", Value::as_i64)
    }

    pub fn number(&mut self, name: &str, range: RangeInclusive<f64>) -> Result<Option<f64>, FieldError> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        self.read(name, &expected, |value| value.as_f64().filter(|number| range.contains(number)))
    }

    pub fn color(&mut self, name: &str) -> Result<Option<Color>, FieldError> {
        self.read(name, "\"white\" or \"black\"", |value| value.as_str()?.parse().ok())
    }

    /// One of the alternatives of an option's type.
    pub fn choice<T: OptionValue<Range = ()>>(&mut self, name: &str) -> Result<Option<T>, FieldError> {
        self.read(name, &T::kind(&()).to_string(), |value| T::read(value.as_str()?, &()))
    }

    /// The notation of vertices of a program, by its name.
    pub fn dialect(&mut self, name: &str) -> Result<Option<Notation>, FieldError> {
        self.read(name, Notation::DIALECTS, |value| Notation::from_dialect(value.as_str()?))
    }

    /// The board of the field `side`.
    pub fn board(&mut self) -> Result<&'static Geometry, FieldError> {
        let expected = format!("{MIN_SIDE}..{MAX_SIDE}");
        let board = |value: &Value| Geometry::with_side(usize::try_from(value.as_u64()?).ok()?).ok();
        self.read("side", &expected, board)?
            .ok_or_else(|| FieldError::new("side", format!("missing (expected {expected})")))
    }

    pub fn object(&mut self, name: &str) -> Result<Map<String, Value>, FieldError> {
        let object = self.read(name, "an object", |value| value.as_object().cloned())?;
        Ok(object.unwrap_or_default())
    }

    /// A list whose elements are converted with `read`; empty if the field is absent.
    pub fn list<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Vec<T>, FieldError> {
        let Some(list) = self.read(name, "a list", |value| value.as_array().cloned())? else { return Ok(Vec::new()) };
        let element =
            |(i, value)| read(value).ok_or_else(|| FieldError::with_index(name, i, mismatch(expected, value)));
        list.iter().enumerate().map(element).collect()
    }

    pub fn strings(&mut self, name: &str) -> Result<Vec<String>, FieldError> {
        self.list(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    pub fn vertices(&mut self, name: &str, board: &Geometry) -> Result<Vec<Vertex>, FieldError> {
        let names = self.strings(name)?;
        let vertex = |(i, text): (usize, &String)| {
            Notation::HavannahGui.parse(board, text).map_err(|error| FieldError::with_index(name, i, error))
        };
        names.iter().enumerate().map(vertex).collect()
    }

    /// An option's value as text. In JSON it may be a string, a number or a boolean.
    pub fn option_text(value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(on) => Some(on.to_string()),
            _ => None,
        }
    }
}

/// Base64 with or without the padding at its end.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A method of [`Fields`] that takes an optional field.
type Reader<T> = fn(&mut Fields, &str) -> Result<Option<T>, FieldError>;
