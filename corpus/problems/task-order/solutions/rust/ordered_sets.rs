// Trees of trees: open prerequisites and followers of every task as BTreeSets.
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut lines = text.lines().map(|l| {
        let (a, b) = l.trim().split_once(' ').unwrap();
        (a.parse::<u32>().unwrap(), b.parse::<u32>().unwrap())
    });
    let (n, _) = lines.next().unwrap();
    let mut before: BTreeMap<u32, BTreeSet<u32>> = (1..=n).map(|v| (v, BTreeSet::new())).collect();
    let mut after: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (a, b) in lines {
        before.get_mut(&b).unwrap().insert(a);
        after.entry(a).or_default().insert(b);
    }
    let mut ready: BTreeSet<u32> = before.iter().filter(|e| e.1.is_empty()).map(|e| *e.0).collect();
    let mut order = Vec::new();
    while let Some(&v) = ready.iter().next_back() {
        ready.remove(&v);
        order.push(v.to_string());
        if let Some(set) = after.get(&v) {
            for w in set {
                let open = before.get_mut(w).unwrap();
                open.remove(&v);
                if open.is_empty() {
                    ready.insert(*w);
                }
            }
        }
    }
    if order.len() == n as usize {
        println!("{}", order.join(" "));
    } else {
        println!("IMPOSSIBLE");
    }
}
