// All levels of a sparse table.
use std::io::{self, Read, Write};

fn main() {
    let mut s = String::new();
    io::stdin().read_to_string(&mut s).unwrap();
    let mut it = s.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    let k: usize = it.next().unwrap().parse().unwrap();
    let mut table: Vec<Vec<i64>> = vec![it.map(|t| t.parse().unwrap()).collect()];
    let mut w = 1;
    while 2 * w <= n {
        let prev = table.last().unwrap();
        let row = (0..n - 2 * w + 1).map(|i| prev[i].max(prev[i + w])).collect();
        table.push(row);
        w *= 2;
    }
    let mut level = 0;
    while 2usize << level <= k {
        level += 1;
    }
    let row = &table[level];
    let stdout = io::stdout();
    let mut out = io::BufWriter::new(stdout.lock());
    for i in 0..n - k + 1 {
        let best = row[i].max(row[i + k - (1 << level)]);
        if i > 0 {
            out.write_all(b" ").unwrap();
        }
        write!(out, "{}", best).unwrap();
    }
    out.write_all(b"\n").unwrap();
}
