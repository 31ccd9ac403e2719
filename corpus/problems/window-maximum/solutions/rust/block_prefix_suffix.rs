// Suffix and prefix maxima in chunks of k; bytes are parsed by hand.
use std::io::{self, Read, Write};

fn main() {
    let mut data = Vec::new();
    io::stdin().lock().read_to_end(&mut data).unwrap();
    let mut p = 0;
    let mut next = || -> i32 {
        while data[p] <= b' ' {
            p += 1;
        }
        let neg = data[p] == b'-';
        if neg {
            p += 1;
        }
        let mut x = 0i32;
        while p < data.len() && data[p] > b' ' {
            x = x * 10 + (data[p] - b'0') as i32;
            p += 1;
        }
        if neg {
            -x
        } else {
            x
        }
    };
    let n = next() as usize;
    let k = next() as usize;
    let mut suf: Vec<i32> = (0..n).map(|_| next()).collect();
    let mut pre = suf.clone();
    for part in pre.chunks_mut(k) {
        for i in 1..part.len() {
            part[i] = part[i].max(part[i - 1]);
        }
    }
    for part in suf.chunks_mut(k) {
        for i in (1..part.len()).rev() {
            part[i - 1] = part[i - 1].max(part[i]);
        }
    }
    let mut out = Vec::with_capacity(12 * (n - k + 1));
    for i in 0..n - k + 1 {
        write!(out, "{} ", suf[i].max(pre[i + k - 1])).unwrap();
    }
    out.pop();
    out.push(b'\n');
    io::stdout().write_all(&out).unwrap();
}
