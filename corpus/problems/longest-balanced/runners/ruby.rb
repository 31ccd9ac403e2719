require 'json'
require 'set'

# ==Code Submission==

puts JSON.generate(longest_balanced(JSON.parse($stdin.gets)))
