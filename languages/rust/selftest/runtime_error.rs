use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let numbers: Vec<i64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let n = numbers[0] as usize;
    println!("{}", numbers[n + 1]); // past the end: panic
}
