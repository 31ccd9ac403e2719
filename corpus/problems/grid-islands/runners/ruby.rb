require 'json'
require 'set'

# ==Code Submission==

puts JSON.generate(count_islands(JSON.parse($stdin.gets)))
