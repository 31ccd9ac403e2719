static DATA: [u8; 20 << 20] = [1; 20 << 20];
fn main() {
    let at = std::env::args().count();
    println!("{}", unsafe { std::ptr::read_volatile(&DATA[at]) }); // not known beforehand: all of it is written out
}
