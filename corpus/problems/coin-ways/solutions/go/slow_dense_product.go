// Dense polynomial product for every coin.
package main

import "fmt"

func main() {
	var n, amount int
	fmt.Scan(&n, &amount)
	total := make([]int, amount+1)
	total[0] = 1
	for ; n > 0; n-- {
		var c int
		fmt.Scan(&c)
		factor := make([]int, amount+1)
		for s := 0; s <= amount; s += c {
			factor[s] = 1
		}
		product := make([]int, 2*amount+1)
		for i, x := range total {
			for j, y := range factor {
				product[i+j] = (product[i+j] + x*y) % 1000000007
			}
		}
		total = product[:amount+1]
	}
	fmt.Println(total[amount])
}
