// Monotone chain on 32-bit coordinates.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sort"
)

type point struct{ x, y int32 }

func half(points []point) float64 {
	var hull []point
	for _, p := range points {
		for k := len(hull); k > 1; k = len(hull) {
			a, b := hull[k-2], hull[k-1]
			if (b.x-a.x)*(p.y-a.y)-(b.y-a.y)*(p.x-a.x) > 0 {
				break
			}
			hull = hull[:k-1]
		}
		hull = append(hull, p)
	}
	total := 0.0
	for i := 1; i < len(hull); i++ {
		total += math.Hypot(float64(hull[i].x-hull[i-1].x), float64(hull[i].y-hull[i-1].y))
	}
	return total
}

func main() {
	in := bufio.NewReader(os.Stdin)
	var n int
	fmt.Fscan(in, &n)
	points := make([]point, n)
	for i := range points {
		fmt.Fscan(in, &points[i].x, &points[i].y)
	}
	sort.Slice(points, func(i, j int) bool {
		return points[i].x < points[j].x || points[i].x == points[j].x && points[i].y < points[j].y
	})
	back := make([]point, n)
	for i, p := range points {
		back[n-1-i] = p
	}
	fmt.Printf("%.9f\n", half(points)+half(back))
}
