const n = Number(require('fs').readFileSync(0, 'utf8').split(/\s+/)[0];
console.log(n);
