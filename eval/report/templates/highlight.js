// Colours of code: comments, strings, numbers, words of the language and calls. Only text nodes are written, and each
// pattern reads a character once, so that no program can be code to the page or keep it busy.
"use strict";

const HASH = { comment: "#[^\\n]*", string: `"""[\\s\\S]*?(?:"""|(?![\\s\\S]))|'''[\\s\\S]*?(?:'''|(?![\\s\\S]))|"(?:\\\\[\\s\\S]|[^"\\\\\\n])*"?|'(?:\\\\[\\s\\S]|[^'\\\\\\n])*'?` };
const SLASH = { comment: "//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|(?![\\s\\S]))", string: `"(?:\\\\[\\s\\S]|[^"\\\\\\n])*"?|'(?:\\\\[\\s\\S]|[^'\\\\\\n])*'?|\`(?:\\\\[\\s\\S]|[^\`\\\\])*\`?` };
// The preprocessor is not the program.
const CPP = { ...SLASH, comment: `${SLASH.comment}|^[ \\t]*#[^\\n]*` };
// In Rust a quote may begin a lifetime.
const RUST = { ...SLASH, string: `"(?:\\\\[\\s\\S]|[^"\\\\])*"?|'(?:\\\\[^\\n'][^\\n']{0,8}|\\\\'|[^'\\\\\\n])'` };
const LANGUAGES = {
  cpp: [CPP, "alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for friend goto if inline int long mutable namespace new noexcept nullptr operator override private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while"],
  go: [SLASH, "bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int32 int64 interface iota map nil package range return rune select string struct switch true type uint uint64 var"],
  java: [SLASH, "abstract boolean break byte case catch char class const continue default do double else enum extends false final finally float for if implements import instanceof int interface long new null package private protected public record return short static super switch synchronized this throw throws true try var void volatile while yield"],
  javascript: [SLASH, "async await break case catch class const continue debugger default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield"],
  python: [HASH, "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield"],
  ruby: [HASH, "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield"],
  rust: [RUST, "as async await bool break char const continue crate dyn else enum extern f64 false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str struct super trait true type u32 u64 u8 unsafe use usize where while"],
};
const ALIASES = { "c++": "cpp", c: "cpp", js: "javascript", py: "python", python3: "python", rb: "ruby", rs: "rust", golang: "go" };
const readers = new Map();

// Regular expressions and keywords of each language.
function readerOf(language) {
  const name = ALIASES[language] ?? language;
  if (!Object.hasOwn(LANGUAGES, name)) return undefined;
  if (!readers.has(name)) {
    const [{ comment, string }, words] = LANGUAGES[name];
    const parts = `(?<comment>${comment})|(?<string>${string})|(?<number>\\b\\d[\\w.]*)|(?<word>[A-Za-z_]\\w*)`;
    readers.set(name, { parts: new RegExp(parts, "gm"), words: new Set(words.split(" ")) });
  }
  return readers.get(name);
}

// The code as text and coloured spans; as one text where the language is not known.
function highlighted(code, language) {
  const reader = readerOf(language);
  if (!reader) return [code];
  const nodes = [];
  let plain = 0;
  for (const match of code.matchAll(reader.parts)) {
    const { comment, string, number, word } = match.groups;
    const end = match.index + match[0].length;
    const kind = comment ? "comment" : string ? "string" : number ? "number" : reader.words.has(word) ? "keyword" : code[end] === "(" ? "call" : "";
    if (!kind) continue;
    const span = document.createElement("span");
    span.className = `code-${kind}`;
    span.textContent = match[0];
    nodes.push(code.slice(plain, match.index), span);
    plain = end;
  }
  return [...nodes, code.slice(plain)];
}
