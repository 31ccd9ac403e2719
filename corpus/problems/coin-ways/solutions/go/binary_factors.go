// Each coin is split in bundles of 1, 2, 4, ... coins; every bundle is a falling pass.
package main

import (
	"fmt"
	"os"
)

func main() {
	var n, amount int
	fmt.Fscan(os.Stdin, &n, &amount)
	ways := make([]int64, amount+1)
	ways[0] = 1
	for i := 0; i < n; i++ {
		var c int
		fmt.Fscan(os.Stdin, &c)
		for bundle := c; bundle <= amount; bundle *= 2 {
			for s := amount; s >= bundle; s-- {
				ways[s] = (ways[s] + ways[s-bundle]) % 1000000007
			}
		}
	}
	fmt.Println(ways[amount])
}
