// The Go reference program: a fixed amount of contest-like work, run right beside every
// measurement as the unit of relative time. It reads nothing and prints one checksum line.
// Changing it changes every relative time.
package main

import (
	"fmt"
	"sort"
)

const (
	cellCount = 1 << 18 // 32-bit cells: 1 MiB
	rounds    = 3
	steps     = 500000
	countings = 80000
	keys      = 5003
	sorted    = 30000
	mask      = 0x7fffffff
)

func main() {
	cells := make([]uint32, cellCount)
	counts := make(map[uint32]uint32)
	part := make([]int, sorted)
	x, h := uint32(12345), uint32(0)
	for round := 0; round < rounds; round++ {
		for i := uint32(0); i < steps; i++ {
			x = (x*1103515245 + 12345) & mask
			j := (x >> 9) & (cellCount - 1)
			cells[j] = (cells[j]*3 + (x >> 5) + i) & mask
		}
		for i := 0; i < countings; i++ {
			key := cells[i] % keys
			counts[key]++
			h = (h*31 + counts[key]) & mask
		}
		for i := range part {
			part[i] = int(cells[i])
		}
		sort.Ints(part)
		for _, value := range part {
			h = (h*31 + uint32(value)) & mask
		}
	}
	fmt.Println(h)
}
