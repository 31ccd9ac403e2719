package main

import "fmt"

func main() {
	var n, sum, value int
	fmt.Scan(&n)
	for i := 0; i < n; i++ {
		fmt.Scan(&value)
		sum += value
	}
	// 1 GiB in pieces of 16 MiB, every page written and a byte of each piece read back
	var kept [][]byte
	for i := 0; i < 64; i++ {
		piece := make([]byte, 16<<20)
		for j := 0; j < len(piece); j += 4096 {
			piece[j] = byte(n)
		}
		kept = append(kept, piece)
	}
	for _, piece := range kept {
		sum += int(piece[0]) - n
	}
	fmt.Println(sum)
}
