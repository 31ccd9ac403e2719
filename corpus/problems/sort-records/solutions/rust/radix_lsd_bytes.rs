// LSD radix sort on (key, index) pairs, one byte per pass.
use std::fmt::Write as _;
use std::io::{self, Read, Write};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_whitespace();
    let n: usize = words.next().unwrap().parse().unwrap();
    let words: Vec<&str> = words.collect();
    let mut items: Vec<(u32, u32)> = (0..n)
        .map(|i| ((1_000_000_000 - words[2 * i + 1].parse::<i64>().unwrap()) as u32, i as u32))
        .collect();
    let mut other = vec![(0u32, 0u32); n];
    for shift in [0, 8, 16, 24] {
        let mut start = [0usize; 257];
        for item in &items {
            start[(item.0 >> shift & 255) as usize + 1] += 1;
        }
        for d in 0..256 {
            start[d + 1] += start[d];
        }
        for item in &items {
            let d = (item.0 >> shift & 255) as usize;
            other[start[d]] = *item;
            start[d] += 1;
        }
        std::mem::swap(&mut items, &mut other);
    }
    let mut out = String::with_capacity(n * 32);
    for (place, item) in items.iter().enumerate() {
        let i = item.1 as usize;
        writeln!(out, "{} {} {}", place + 1, words[2 * i], words[2 * i + 1]).unwrap();
    }
    io::stdout().write_all(out.as_bytes()).unwrap();
}
