// Dijkstra with ordered collections: a BTreeSet as queue with removal of old entries, hash map of roads.
use std::collections::{BTreeSet, HashMap};
use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_ascii_whitespace().map(|w| w.parse::<i64>().unwrap());
    let n = words.next().unwrap();
    let m = words.next().unwrap();
    let mut roads: HashMap<i64, Vec<(i64, i64)>> = HashMap::new();
    for _ in 0..m {
        let a = words.next().unwrap();
        let b = words.next().unwrap();
        let w = words.next().unwrap();
        roads.entry(a).or_insert_with(Vec::new).push((b, w));
    }
    let mut dist: HashMap<i64, i64> = HashMap::new();
    let mut open: BTreeSet<(i64, i64)> = BTreeSet::new();
    dist.insert(1, 0);
    open.insert((0, 1));
    while let Some(&(d, v)) = open.iter().next() {
        open.remove(&(d, v));
        if let Some(list) = roads.get(&v) {
            for &(u, w) in list {
                let t = d + w;
                match dist.get(&u) {
                    Some(&old) if old <= t => continue,
                    Some(&old) => {
                        open.remove(&(old, u));
                    }
                    None => {}
                }
                dist.insert(u, t);
                open.insert((t, u));
            }
        }
    }
    for v in 1..=n {
        if v > 1 {
            print!(" ");
        }
        print!("{}", dist.get(&v).copied().unwrap_or(-1));
    }
    println!();
}
