use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap() as usize;
    let sum: i64 = numbers.take(n).sum();
    println!("{}", sum);
}
