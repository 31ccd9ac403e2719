// Next-greater links followed by a pointer that only moves forward.
use std::io::{self, Read};

fn main() {
    let mut s = String::new();
    io::stdin().read_to_string(&mut s).unwrap();
    let mut it = s.split_ascii_whitespace();
    let n: usize = it.next().unwrap().parse().unwrap();
    let k: usize = it.next().unwrap().parse().unwrap();
    let words: Vec<&str> = it.collect();
    let a: Vec<i32> = words.iter().map(|t| t.parse().unwrap()).collect();
    let mut nxt = vec![n; n];
    for i in (0..n).rev() {
        let mut j = i + 1;
        while j < n && a[j] <= a[i] {
            j = nxt[j];
        }
        nxt[i] = j;
    }
    let mut j = 0;
    let mut out: Vec<&str> = Vec::with_capacity(n - k + 1);
    for i in 0..n - k + 1 {
        j = j.max(i);
        while nxt[j] < i + k {
            j = nxt[j];
        }
        out.push(words[j]);
    }
    println!("{}", out.join(" "));
}
