const numbers = require('fs').readFileSync(0, 'utf8').trim().split(/\s+/).map(Number);
const n = numbers[0];
console.log(numbers[n + 1].toString());  // past the end: undefined has no methods
