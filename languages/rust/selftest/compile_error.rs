fn main() {
    let n = 4
    println!("{}", n);
}
