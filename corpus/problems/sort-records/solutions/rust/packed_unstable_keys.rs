// One string for the whole input, packed keys, sort_unstable, one byte vector for the output.
use std::io::{self, Read, Write};

fn push_number(out: &mut Vec<u8>, value: i64) {
    let mut digits = [0u8; 20];
    let mut at = 20;
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_ascii_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let mut names = Vec::with_capacity(n);
    let mut keys = Vec::with_capacity(n);
    for i in 0..n as u64 {
        names.push(words.next().unwrap().as_bytes());
        let score: i64 = words.next().unwrap().parse().unwrap();
        keys.push(((1_000_000_000 - score) as u64) << 16 | i);
    }
    keys.sort_unstable();
    let mut out = Vec::with_capacity(n * 32);
    for (place, key) in keys.iter().enumerate() {
        push_number(&mut out, place as i64 + 1);
        out.push(b' ');
        out.extend_from_slice(names[(key & 65535) as usize]);
        out.push(b' ');
        push_number(&mut out, 1_000_000_000 - (key >> 16) as i64);
        out.push(b'\n');
    }
    io::stdout().write_all(&out).unwrap();
}
