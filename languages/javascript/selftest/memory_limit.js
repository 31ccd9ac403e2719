const numbers = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
const n = numbers[0];
let sum = 0;
for (let i = 1; i <= n; i++) sum += numbers[i];
// 1 GiB in pieces of 16 MiB, every byte written and one of each piece read back
const kept = [];
for (let i = 0; i < 64; i++) kept.push(new Uint8Array(16 << 20).fill(n));
for (const piece of kept) sum += piece[n] - n;
console.log(sum);
