require 'json'
require 'set'

# ==Code Submission==

if __FILE__ == $PROGRAM_NAME
  _runner_lines = STDIN.read.split("\n")
  _runner_result = count_pairs(JSON.parse(_runner_lines[0]), JSON.parse(_runner_lines[1]))
  puts JSON.generate(_runner_result)
end
