//! Regression scripts in the format of GNU Go's test suites, which gogui-regress reads too.
//!
//! A script is a file of GTP commands. A command with an id is a test, and the comment on the next line is what its
//! whole response has to match:
//!
//! ```text
//! boardsize 4
//! play white a1
//! 10 all_legal
//! #? [.*b2.*]
//! 20 genmove black
//! #? [!b1|b2]*
//! ```
//!
//! The brackets hold a regular expression. `!` before it means that the response must not match; `*` after the brackets
//! marks a test that is known to fail. An error is a failure, whatever is expected.

use std::fmt;

use regex_lite::Regex;

use super::protocol::Response;

/// A script.
#[derive(Debug)]
pub struct Script {
    /// Its commands, in order.
    pub steps: Vec<ScriptStep>,
}

/// A command of a script.
#[derive(Debug)]
pub struct ScriptStep {
    /// The number of its line, from 1.
    pub line: usize,
    /// The line to send.
    pub command: String,
    /// What the response has to match, if this is a test.
    pub expectation: Option<Expectation>,
}

/// What a test expects.
#[derive(Debug)]
pub struct Expectation {
    text: String,
    pattern: Regex,
    negated: bool,
    fails: bool,
}

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestResult {
    /// The response is as expected.
    Pass,
    /// The response is as expected, but the test is known to fail.
    UnexpectedPass,
    /// The response is not as expected.
    Failure,
    /// The response is not as expected, and the test is known to fail.
    ExpectedFailure,
}

/// A line of a script that cannot be understood.
#[derive(Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for ScriptError {}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// If an expectation is malformed or does not follow a test.
    pub fn parse(text: &str) -> Result<Script, ScriptError> {
        let mut steps: Vec<ScriptStep> = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.trim();
            let error = |reason: &str| ScriptError { line, reason: reason.to_owned() };
            if let Some(expectation) = content.strip_prefix("#?") {
                let test = steps.last_mut().filter(|step| step.is_test() && step.expectation.is_none());
                let test = test.ok_or_else(|| error("an expectation follows no command with an id"))?;
                test.expectation = Some(Expectation::parse(expectation.trim()).map_err(|reason| error(&reason))?);
            } else if !content.is_empty() && !content.starts_with('#') {
                steps.push(ScriptStep { line, command: content.to_owned(), expectation: None });
            }
        }
        Ok(Script { steps })
    }
}

impl ScriptStep {
    fn is_test(&self) -> bool {
        self.command.starts_with(|c: char| c.is_ascii_digit())
    }
}

impl Expectation {
    fn parse(text: &str) -> Result<Expectation, String> {
        let form = || format!("'{text}' is not of the form [pattern], [!pattern], [pattern]* or [!pattern]*");
        let (bracketed, fails) = match text.strip_suffix('*') {
            Some(rest) => (rest.trim_end(), true),
            None => (text, false),
        };
        let inner = bracketed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(form)?;
        let (pattern, negated) = inner.strip_prefix('!').map_or((inner, false), |rest| (rest, true));
        // As gogui-regress reads it: a dot matches line ends, too, and `^` and `$` match at each line.
        let pattern = Regex::new(&format!(r"\A(?ms:{})\z", pattern.trim())).map_err(|error| error.to_string())?;
        Ok(Expectation { text: text.to_owned(), pattern, negated, fails })
    }

    /// Judges a response: the text after `=`, or the error.
    pub fn judge(&self, response: &Response) -> TestResult {
        let passed = response.as_ref().is_ok_and(|text| self.pattern.is_match(text) != self.negated);
        match (passed, self.fails) {
            (true, false) => TestResult::Pass,
            (true, true) => TestResult::UnexpectedPass,
            (false, false) => TestResult::Failure,
            (false, true) => TestResult::ExpectedFailure,
        }
    }
}

impl fmt::Display for Expectation {
    /// Writes the expectation as the script has it, without the `#?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::CommandError;
    use super::*;

    fn judge(expectation: &str, answer: Result<&str, &str>) -> TestResult {
        let response = answer.map(str::to_owned).map_err(CommandError::new);
        Expectation::parse(expectation).unwrap().judge(&response)
    }

    #[test]
    fn the_whole_answer_has_to_match() {
        assert_eq!(judge("[a1|b2]", Ok("b2")), TestResult::Pass);
        assert_eq!(judge("[a1|b2]", Ok("b22")), TestResult::Failure);
        assert_eq!(judge("[!a1|b2]", Ok("b22")), TestResult::Pass);
        assert_eq!(judge("[]", Ok("")), TestResult::Pass);
        assert_eq!(judge("[[ab][12]]", Ok("b2")), TestResult::Pass);
    }

    /// As gogui-regress judges them.
    #[test]
    fn patterns_may_match_several_lines() {
        assert_eq!(judge("[.*genmove.*]", Ok("list_commands\ngenmove\nquit")), TestResult::Pass);
        assert_eq!(judge("[!.*genmove.*]", Ok("list_commands\ngenmove\nquit")), TestResult::Failure);
        assert_eq!(judge("[ a1 ]", Ok("a1")), TestResult::Pass);
        assert_eq!(judge("[a1]", Ok("a1\n")), TestResult::Failure);
    }

    #[test]
    fn an_error_is_a_failure_which_may_be_expected() {
        assert_eq!(judge("[.*]", Err("no")), TestResult::Failure);
        assert_eq!(judge("[!x]", Err("no")), TestResult::Failure);
        assert_eq!(judge("[.*]*", Err("no")), TestResult::ExpectedFailure);
        assert_eq!(judge("[.*]*", Ok("")), TestResult::UnexpectedPass);
    }

    #[test]
    fn scripts_are_commands_tests_and_comments() {
        let script = Script::parse("# rules\n\nboardsize 4\n10 all_legal\n#? [.*a1.*]\n20 name\n").unwrap();
        let steps: Vec<_> = script.steps.iter().map(|s| (s.line, &s.command[..], s.expectation.is_some())).collect();
        assert_eq!(steps, [(3, "boardsize 4", false), (4, "10 all_legal", true), (6, "20 name", false)]);
    }

    #[test]
    fn what_is_wrong_with_a_script_is_told_with_its_line() {
        for (text, line) in [("#? [x]", 1), ("name\n#? [x]", 2), ("1 name\n#? [x]\n#? [x]", 3), ("1 name\n#? x", 2)] {
            assert_eq!(Script::parse(text).unwrap_err().line, line);
        }
        assert!(Script::parse("1 name\n#? [(]").unwrap_err().to_string().starts_with("line 2: "));
    }
}
