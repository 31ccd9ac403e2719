require 'json'
require 'set'

# ==Code Submission==

lines = $stdin.read.split("\n")
puts JSON.generate(totient_sum(JSON.parse(lines[0])))
