// Loops swapped: counts ordered payments.
package main

import "fmt"

func main() {
	var n, amount int
	fmt.Scan(&n, &amount)
	coins := make([]int, n)
	for i := range coins {
		fmt.Scan(&coins[i])
	}
	ways := make([]int, amount+1)
	ways[0] = 1
	for s := 1; s <= amount; s++ {
		for _, c := range coins {
			if c <= s {
				ways[s] = (ways[s] + ways[s-c]) % 1000000007
			}
		}
	}
	fmt.Println(ways[amount])
}
