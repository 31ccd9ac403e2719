// Tests every number of every query by trial division.
const data = require("fs").readFileSync(0, "utf8").split(/\s+/).map(Number);

function isPrime(v) {
  if (v < 2) return false;
  for (let d = 2; d * d <= v; d++) {
    if (v % d === 0) return false;
  }
  return true;
}

for (let i = 0; i < data[0]; i++) {
  let c = 0;
  for (let v = data[2 * i + 1]; v <= data[2 * i + 2]; v++) if (isPrime(v)) c++;
  console.log(c);
}
