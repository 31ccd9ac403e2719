// One row of counts.
package main

import "fmt"

func main() {
	const mod = 1000000007
	var n, amount int
	fmt.Scan(&n, &amount)
	ways := make([]int32, amount+1)
	ways[0] = 1
	for ; n > 0; n-- {
		var c int
		fmt.Scan(&c)
		for s := c; s <= amount; s++ {
			v := ways[s] + ways[s-c]
			if v >= mod {
				v -= mod
			}
			ways[s] = v
		}
	}
	fmt.Println(ways[amount])
}
