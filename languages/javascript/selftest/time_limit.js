let x = Number(require('fs').readFileSync(0, 'utf8').split(/\s+/)[0]);
// a xorshift state never becomes 0, and the compiler cannot know
while (x !== 0) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
}
console.log(x);
