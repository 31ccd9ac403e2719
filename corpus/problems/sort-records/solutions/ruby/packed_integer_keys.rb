# Score and index packed into one integer, plain sort, one joined string for the output.
data = $stdin.read.split
n = data[0].to_i
keys = Array.new(n) { |i| (1_000_000_000 - data[2 * i + 2].to_i) << 16 | i }
keys.sort!
out = +""
keys.each_with_index do |key, place|
  i = key & 65_535
  out << (place + 1).to_s << " " << data[2 * i + 1] << " " << data[2 * i + 2] << "\n"
end
$stdout.write(out)
