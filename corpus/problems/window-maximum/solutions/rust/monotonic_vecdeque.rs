// Falling sequence of indices in VecDeque.
use std::collections::VecDeque;
use std::io::{self, Read, Write};

fn main() {
    let mut s = String::new();
    io::stdin().read_to_string(&mut s).unwrap();
    let mut it = s.split_ascii_whitespace().map(|t| t.parse::<i64>().unwrap());
    let n = it.next().unwrap() as usize;
    let k = it.next().unwrap() as usize;
    let a: Vec<i64> = it.take(n).collect();
    let mut q: VecDeque<usize> = VecDeque::new();
    let mut out = String::new();
    for i in 0..n {
        while let Some(&b) = q.back() {
            if a[b] > a[i] {
                break;
            }
            q.pop_back();
        }
        q.push_back(i);
        if q[0] + k <= i {
            q.pop_front();
        }
        if i + 1 >= k {
            out.push_str(&a[q[0]].to_string());
            out.push(' ');
        }
    }
    println!("{}", out.trim_end());
    io::stdout().flush().unwrap();
}
