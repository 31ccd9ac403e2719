require 'json'
require 'set'

# ==Code Submission==

lines = $stdin.read.split("\n")
puts JSON.generate(longest_rising(JSON.parse(lines[0])))
