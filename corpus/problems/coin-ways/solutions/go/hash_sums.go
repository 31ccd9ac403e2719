// Reachable sums kept in a map, large coins first.
package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	var n, amount int
	fmt.Fscan(in, &n, &amount)
	coins := make([]int, n)
	for i := range coins {
		fmt.Fscan(in, &coins[i])
	}
	sort.Slice(coins, func(i, j int) bool { return coins[i] > coins[j] })
	ways := map[int]int{0: 1}
	for _, c := range coins {
		for s := c; s <= amount; s++ {
			if v, ok := ways[s-c]; ok {
				ways[s] = (ways[s] + v) % 1000000007
			}
		}
	}
	fmt.Println(ways[amount])
}
