// Bool sieve and pi(x) for every x.
use std::io::{self, Read, Write};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut it = text.split_ascii_whitespace().map(|t| t.parse::<usize>().unwrap());
    const N: usize = 2_000_000;
    let mut comp = vec![false; N + 1];
    let mut pi = vec![0u32; N + 1];
    for i in 2..=N {
        pi[i] = pi[i - 1];
        if comp[i] {
            continue;
        }
        pi[i] += 1;
        let mut j = i * i;
        while j <= N {
            comp[j] = true;
            j += i;
        }
    }
    let q = it.next().unwrap();
    let mut out = String::new();
    for _ in 0..q {
        let l = it.next().unwrap();
        let r = it.next().unwrap();
        out.push_str(&format!("{}\n", pi[r] - pi[l - 1]));
    }
    io::stdout().write_all(out.as_bytes()).unwrap();
}
