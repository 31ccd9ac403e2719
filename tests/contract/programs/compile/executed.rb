#!ruby -r./main.rb
BEGIN {
  executed = File.exist?("executed")
  File.write("executed", "") rescue nil
}
puts executed ? "the check of the syntax executed this" : "ok" unless $told
$told = true
