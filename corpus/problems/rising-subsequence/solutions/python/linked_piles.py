# Patience sorting that keeps every card together with a link to the card under it in the
# previous pile, then walks one longest chain back and counts it.
class Card:
    def __init__(self, value, previous):
        self.value = value
        self.previous = previous


class Solution:
    def longestRising(self, nums: List[int]) -> int:
        tops = []
        piles = []
        for x in nums:
            k = bisect_left(tops, x)
            card = Card(x, piles[k - 1][-1] if k else None)
            if k == len(tops):
                tops.append(x)
                piles.append([card])
            else:
                tops[k] = x
                piles[k].append(card)
        chain_length = 0
        card = piles[-1][-1]
        while card is not None:
            chain_length += 1
            card = card.previous
        return chain_length
