// Depth-first search with an explicit path and one iterator per open task.
use std::io::{self, Read, Write};

fn solve(n: usize, after: &[Vec<u32>]) -> Option<Vec<usize>> {
    let mut state = vec![0u8; n + 1];
    let mut finished = Vec::with_capacity(n);
    for root in (1..=n).rev() {
        if state[root] != 0 {
            continue;
        }
        state[root] = 1;
        let mut path = vec![(root, after[root].iter())];
        while let Some((v, edges)) = path.last_mut() {
            match edges.next() {
                None => {
                    state[*v] = 2;
                    finished.push(*v);
                    path.pop();
                }
                Some(&w) => {
                    let w = w as usize;
                    if state[w] == 1 {
                        return None;
                    }
                    if state[w] == 0 {
                        state[w] = 1;
                        path.push((w, after[w].iter()));
                    }
                }
            }
        }
    }
    finished.reverse();
    Some(finished)
}

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let nums: Vec<u32> = text.split_ascii_whitespace().map(|t| t.parse().unwrap()).collect();
    let n = nums[0] as usize;
    let mut after = vec![Vec::new(); n + 1];
    for e in nums[2..].chunks_exact(2) {
        after[e[0] as usize].push(e[1]);
    }
    let out = match solve(n, &after) {
        None => "IMPOSSIBLE".to_string(),
        Some(order) => order.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(" "),
    };
    writeln!(io::stdout(), "{}", out).unwrap();
}
