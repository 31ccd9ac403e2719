// Sorted end points; the sieve window moves past them once.
use std::io::{self, Read};

const SIZE: usize = 1 << 15;

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let nums: Vec<u32> = text.split_ascii_whitespace().map(|t| t.parse().unwrap()).collect();
    drop(text);
    let q = nums[0] as usize;
    let mut ends: Vec<(u32, u32)> = (0..2 * q)
        .map(|i| (nums[i + 1] - if i % 2 == 0 { 1 } else { 0 }, i as u32))
        .collect();
    ends.sort_unstable();
    let mut base: Vec<(usize, usize)> = Vec::new();
    for p in 2..1415usize {
        if base.iter().all(|b| p % b.0 != 0) {
            base.push((p, p * p));
        }
    }
    let mut pi = vec![0u32; 2 * q];
    let mut seg = [true; SIZE];
    let mut low = 0;
    let mut total = 0;
    let mut e = 0;
    while e < ends.len() {
        seg.fill(true);
        if low == 0 {
            seg[0] = false;
            seg[1] = false;
        }
        for b in base.iter_mut() {
            let mut m = b.1 - low;
            while m < SIZE {
                seg[m] = false;
                m += b.0;
            }
            b.1 = m + low;
        }
        for (k, &f) in seg.iter().enumerate() {
            total += f as u32;
            while e < ends.len() && ends[e].0 as usize == low + k {
                pi[ends[e].1 as usize] = total;
                e += 1;
            }
        }
        low += SIZE;
    }
    let out: Vec<String> = pi.chunks(2).map(|c| (c[1] - c[0]).to_string()).collect();
    println!("{}", out.join("\n"));
}
