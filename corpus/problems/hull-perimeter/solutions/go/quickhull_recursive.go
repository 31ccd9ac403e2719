// Quickhull; every call partitions its slice of outside points in place.
package main

import (
	"fmt"
	"io"
	"math"
	"os"
)

type point struct{ x, y int64 }

func cross(a, b, c point) int64 {
	return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x)
}

func distance(a, b point) float64 {
	return math.Hypot(float64(a.x-b.x), float64(a.y-b.y))
}

func side(points []point, a, b point) float64 {
	if len(points) == 0 {
		return distance(a, b)
	}
	far := points[0]
	best := cross(a, b, far)
	for _, p := range points {
		if c := cross(a, b, p); c > best {
			best, far = c, p
		}
	}
	left := 0
	for i, p := range points {
		if cross(a, far, p) > 0 {
			points[left], points[i] = points[i], points[left]
			left++
		}
	}
	right := left
	for i := left; i < len(points); i++ {
		if p := points[i]; cross(far, b, p) > 0 {
			points[right], points[i] = points[i], points[right]
			right++
		}
	}
	return side(points[:left], a, far) + side(points[left:right], far, b)
}

func perimeter(points []point) float64 {
	a, b := points[0], points[0]
	for _, p := range points {
		if p.x < a.x || p.x == a.x && p.y < a.y {
			a = p
		}
		if p.x > b.x || p.x == b.x && p.y > b.y {
			b = p
		}
	}
	var above, below []point
	for _, p := range points {
		if c := cross(a, b, p); c > 0 {
			above = append(above, p)
		} else if c < 0 {
			below = append(below, p)
		}
	}
	return side(above, a, b) + side(below, b, a)
}

func main() {
	text, _ := io.ReadAll(os.Stdin)
	at := 0
	next := func() int64 {
		for text[at] <= ' ' {
			at++
		}
		negative := text[at] == '-'
		if negative {
			at++
		}
		var value int64
		for ; at < len(text) && text[at] >= '0'; at++ {
			value = value*10 + int64(text[at]-'0')
		}
		if negative {
			return -value
		}
		return value
	}
	points := make([]point, next())
	for i := range points {
		points[i].x = next()
		points[i].y = next()
	}
	fmt.Printf("%.9f\n", perimeter(points))
}
