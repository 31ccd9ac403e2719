#![crate_type = "proc-macro"]
extern crate proc_macro;
use proc_macro::TokenStream;

#[proc_macro]
pub fn now(_: TokenStream) -> TokenStream {
    std::fs::write("executed", "").unwrap();
    TokenStream::new()
}
