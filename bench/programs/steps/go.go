// Runs the number of steps on standard input, each with arithmetic, a table and a map.
package main

import "fmt"

func main() {
	var steps uint32
	fmt.Scan(&steps)
	cells := make([]uint32, 4096)
	counts := map[uint32]uint32{}
	x, h := uint32(12345), uint32(0)
	for i := uint32(0); i < steps; i++ {
		x = x*1103515245 + 12345
		cell := &cells[x>>9&4095]
		*cell = *cell*3 + x>>5 + i
		counts[*cell%503]++
		h = h*31 + *cell
	}
	fmt.Println(h, len(counts))
}
