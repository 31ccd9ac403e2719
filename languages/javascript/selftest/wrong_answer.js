const numbers = require('fs').readFileSync(0, 'utf8').split(/\s+/).map(Number);
const n = numbers[0];
let sum = 0;
for (let i = 1; i <= n; i++) sum += numbers[i];
console.log(sum + 1);
