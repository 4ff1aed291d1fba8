#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| malecon_fuzz::checks::run("positions", input));
