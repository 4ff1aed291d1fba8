//! Functions whose results have the same bits on every platform, so that a search with a fixed seed finds the same
//! everywhere. The standard library uses the system's functions, which differ in their last bit.

/// A number rounded to six digits after the point, for output: more would be noise. There is no negative zero.
pub(crate) fn rounded(x: f64) -> f64 {
    (x * 1e6).round() / 1e6 + 0.0
}

/// 2^(i/32) for each i.
#[rustfmt::skip]
const ROOTS: [f64; 32] = [
    1.0, 1.0218971486541166, 1.0442737824274138, 1.0671404006768237,
    1.0905077326652577, 1.1143867425958924, 1.1387886347566916, 1.1637248587775775,
    1.189207115002721, 1.215247359980469, 1.241857812073484, 1.2690509571917332,
    1.2968395546510096, 1.3252366431597413, 1.3542555469368927, 1.383909881963832,
    std::f64::consts::SQRT_2, 1.4451808069770467, 1.4768261459394993, 1.5091644275934228,
    1.5422108254079407, 1.5759808451078865, 1.6104903319492543, 1.645755478153965,
    1.681792830507429, 1.718619298122478, 1.7562521603732995, 1.7947090750031072,
    1.8340080864093424, 1.8741676341103, 1.9152065613971474, 1.9571441241754002,
];

/// e to the power of `x`, computed like `expf` in ARM's *Optimized Routines* and the GNU C library: from a table of
/// powers of two and a polynomial of degree 3, in double precision. The error is at most 0.502 units in the last place.
#[inline]
pub(crate) fn exp(x: f32) -> f32 {
    // Beyond these bounds the result is infinite or 0, and the exponent below may not fit.
    if x > 89.0 {
        return f32::INFINITY;
    }
    if x < -104.0 {
        return 0.0;
    }
    // x·32/ln 2 = k + r, with |r| <= 1/2.
    let scaled = f64::from(x) * (32.0 * std::f64::consts::LOG2_E);
    let rounded = scaled.round_ties_even();
    let k = rounded as i64;
    let r = scaled - rounded;
    let root = ROOTS[(k & 31) as usize].to_bits();
    let power = f64::from_bits(root.wrapping_add_signed((k >> 5) << 52));
    // 2^(r/32).
    let high = 0.055_503_615_593_415_35 / 32_768.0 * r + 0.240_228_452_244_572_2 / 1024.0;
    let low = 0.693_147_180_691_621_6 / 32.0 * r + 1.0;
    ((high * (r * r) + low) * power) as f32
}

/// The nearest integer: halves are rounded away from 0, and numbers beyond the range to its end. Like [`f32::round`],
/// but does not call a function of the system.
#[inline]
pub(crate) fn nearest(x: f32) -> i32 {
    // The largest number below one half, because this number plus one half would be rounded to 1.
    (x + 0.5f32.next_down().copysign(x)) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_integers_are_those_of_the_system() {
        for bits in (0..=u32::MAX).step_by(if cfg!(miri) { 7_654_321 } else { 997 }) {
            let x = f32::from_bits(bits);
            assert_eq!(nearest(x), x.round() as i32, "{x}");
        }
        for x in [0.5, 1.5, 2.5, 0.5f32.next_down(), 8_388_607.5, 8_388_608.0, 8_388_609.0] {
            assert_eq!([nearest(x), nearest(-x)], [x.round() as i32, -x.round() as i32]);
        }
    }

    /// The difference from the exact value in units of the last place.
    fn error(x: f32) -> f64 {
        let (exact, got) = (f64::from(x).exp(), exp(x));
        let unit = f64::from(got.next_up()) - f64::from(got);
        (f64::from(got) - exact).abs() / unit
    }

    #[test]
    fn powers_are_as_exact_as_documented() {
        let mut worst = 0.0f64;
        // Every 97th number between -87 and 88, so that results are neither infinite nor subnormal.
        for bits in (0..88.0f32.to_bits()).step_by(97) {
            let x = f32::from_bits(bits);
            worst = worst.max(error(x)).max(error(-x.min(87.0)));
        }
        assert!(worst < 0.503, "{worst}");
    }

    #[test]
    fn powers_have_known_bits() {
        // Values of the GNU C library.
        let known = [
            (1.0, 0x402df854),
            (-1.0, 0x3ebc5ab2),
            (0.5, 0x3fd3094c),
            (-0.1, 0x3f67a36d),
            (-3.7, 0x3cca88fe),
            (-12.25, 0x36a08fd8),
            (10.0, 0x46ac14ee),
            (-25.5, 0x2d142fe9),
            (1e-4, 0x3f800347),
            (-80.0, 0x05bfecba),
            (33.3, 0x5783c1fa),
            (-0.0625, 0x3f707d60),
        ];
        for (x, bits) in known {
            assert_eq!(exp(x).to_bits(), bits, "{x}");
        }
    }

    #[test]
    fn extremes_are_zero_infinite_or_subnormal() {
        assert_eq!((exp(f32::NEG_INFINITY), exp(-104.1), exp(-1e30)), (0.0, 0.0, 0.0));
        assert_eq!((exp(f32::INFINITY), exp(88.8), exp(1e30)), (f32::INFINITY, f32::INFINITY, f32::INFINITY));
        assert!(exp(f32::NAN).is_nan());
        assert!(exp(-100.0) > 0.0 && exp(-100.0) < f32::MIN_POSITIVE);
        assert_eq!((exp(0.0), exp(-0.0)), (1.0, 1.0));
    }
}
