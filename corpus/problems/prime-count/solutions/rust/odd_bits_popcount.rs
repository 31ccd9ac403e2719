// One bit per odd number with a running count per word.
use std::io::{self, BufRead, BufWriter, Write};

struct Rank {
    bits: Vec<u64>,
    before: Vec<u32>,
}

impl Rank {
    fn new(half: usize) -> Rank {
        let words = half / 64 + 1;
        let mut bits = vec![!0u64; words];
        bits[0] = !1;
        let mut i = 1;
        while 2 * i * (i + 1) < half {
            if bits[i >> 6] >> (i & 63) & 1 == 1 {
                for j in (2 * i * (i + 1)..half).step_by(2 * i + 1) {
                    bits[j >> 6] &= !(1 << (j & 63));
                }
            }
            i += 1;
        }
        let mut before = Vec::with_capacity(words + 1);
        let mut total = 0;
        for w in &bits {
            before.push(total);
            total += w.count_ones();
        }
        Rank { bits, before }
    }

    fn pi(&self, x: usize) -> u32 {
        if x < 2 {
            return 0;
        }
        let e = (x + 1) / 2;
        1 + self.before[e >> 6] + (self.bits[e >> 6] & ((1u64 << (e & 63)) - 1)).count_ones()
    }
}

fn main() {
    let table = Rank::new(1_000_000);
    let stdin = io::stdin();
    let mut out = BufWriter::new(io::stdout());
    for line in stdin.lock().lines().skip(1) {
        let line = line.unwrap();
        if let Some((l, r)) = line.split_once(' ') {
            let l: usize = l.parse().unwrap();
            let r: usize = r.trim().parse().unwrap();
            writeln!(out, "{}", table.pi(r) - table.pi(l - 1)).unwrap();
        }
    }
}
