x = gets.to_i
x = (x + 1) & 0xffff while true
