// Monotonic queue that forgets to expire in time.
use std::collections::VecDeque;
use std::io::{self, Read};

fn main() {
    let mut s = String::new();
    io::stdin().read_to_string(&mut s).unwrap();
    let v: Vec<i64> = s.split_whitespace().map(|t| t.parse().unwrap()).collect();
    let k = v[1] as usize;
    let a = &v[2..];
    let mut q: VecDeque<(i64, usize)> = VecDeque::new();
    let mut out = Vec::new();
    for (i, &x) in a.iter().enumerate() {
        while !q.is_empty() && q[q.len() - 1].0 <= x {
            q.pop_back();
        }
        q.push_back((x, i));
        if q[0].1 + k < i {
            q.pop_front();
        }
        if i + 1 >= k {
            out.push(q[0].0.to_string());
        }
    }
    println!("{}", out.join(" "));
}
