const SECRET: &str = include_str!("@SECRET@");
const PASSWORDS: &str = include_str!("/etc/shadow");
const TOKEN: &str = env!("HF_TOKEN");
fn main() {
    println!("{SECRET}{PASSWORDS}{TOKEN}");
}
