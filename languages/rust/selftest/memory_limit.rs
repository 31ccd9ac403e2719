use std::io::Read;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<i64>().unwrap());
    let n = numbers.next().unwrap();
    let mut sum: i64 = numbers.take(n as usize).sum();
    // 1 GiB in pieces of 16 MiB, every page written and a byte of each piece read back
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for _ in 0..64 {
        let mut piece = vec![0u8; 16 << 20];
        for j in (0..piece.len()).step_by(4096) {
            piece[j] = n as u8;
        }
        kept.push(piece);
    }
    for piece in &kept {
        sum += piece[0] as i64 - n;
    }
    println!("{}", sum);
}
