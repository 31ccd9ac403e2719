# The sieve is a binary string of odd numbers; String#count does the counting,
# per block of 512 in advance and for the ragged end in the query.
W = 512
half = 1_000_000
SIEVE = "\x01".b * half
SIEVE.setbyte(0, 0)
3.step(1413, 2) do |p|
  next if SIEVE.getbyte(p / 2) == 0
  j = p * p / 2
  while j < half
    SIEVE.setbyte(j, 0)
    j += p
  end
end
BEFORE = [1]
0.step(half - 1, W) { |s| BEFORE << BEFORE[-1] + SIEVE.byteslice(s, W).count("\x01") }

def pi(x)
  return 0 if x < 2
  e = (x + 1) / 2
  b = e / W
  BEFORE[b] + SIEVE.byteslice(b * W, e - b * W).count("\x01")
end

lines = STDIN.read.split("\n")
res = lines[1..].map do |line|
  l, r = line.split(" ")
  pi(r.to_i) - pi(l.to_i - 1)
end
puts res.join("\n")
