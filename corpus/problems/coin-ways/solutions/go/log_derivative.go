// Logarithmic derivative of the product of 1/(1-x^c): s*p(s) = sum d(k)*p(s-k).
package main

import "fmt"

func main() {
	const mod = 1000000007
	var n, amount int
	fmt.Scan(&n, &amount)
	d := make([]uint64, amount+1)
	for i := 0; i < n; i++ {
		var c int
		fmt.Scan(&c)
		for s := c; s <= amount; s += c {
			d[s] += uint64(c)
		}
	}
	inv := make([]uint64, amount+2)
	inv[1] = 1
	p := make([]uint64, amount+1)
	p[0] = 1
	for s := 1; s <= amount; s++ {
		if s > 1 {
			inv[s] = uint64(mod-mod/s) * inv[mod%s] % mod
		}
		var total uint64
		for k := 1; k <= s; k++ {
			total += d[k] * p[s-k]
			if k&4095 == 0 {
				total %= mod
			}
		}
		p[s] = total % mod * inv[s] % mod
	}
	fmt.Println(p[amount])
}
