"""Sets of shingles, their MinHash signatures, and the Jaccard index, computed on arrays of tokens.

A shingle is `size` consecutive tokens. Hashes depend only on the text of the tokens, not on the
machine, the process or the version of a library, so that two releases find the same duplicates.

Signatures use one permutation hashing (Li, Owen, Zhang 2012: one hash per shingle, the smallest of
each bin) with empty bins filled from the next full one (Shrivastava, Li 2014). They only select
candidate pairs; the reported Jaccard index is exact.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

BINS = 128  # values in a signature
# Constants of SplitMix64 and xxHash64: odd, with no pattern in their bits.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

Hashes = npt.NDArray[np.uint64]


class Prints(NamedTuple):
    """The fingerprints of a block of token lists, one row for each list.

    Attributes:
        digest: A hash of the list, equal for equal lists.
        shingles: The set of shingles, sorted, as 32-bit hashes.
        bands: Hashes of the bands of the signature; similar lists share one.
    """

    digest: pa.UInt64Array
    shingles: pa.ListArray
    bands: pa.ListArray


class Banding(NamedTuple):
    """The division of a signature of BINS values into bands.

    A pair is a candidate if all rows of one band agree.
    """

    bands: int
    rows: int

    def recall(self, jaccard: float) -> float:
        """Return the probability that a pair with this Jaccard index is a candidate."""
        return float(1 - (1 - jaccard**self.rows) ** self.bands)


def choose_banding(jaccard: float) -> Banding:
    """Return the banding with the fewest candidates whose recall at `jaccard` is 99.9 %."""
    # More rows a band give fewer candidates, so the first with this recall is the cheapest.
    choices = [Banding(BINS // rows, rows) for rows in range(16, 0, -1)]
    recall = 0.999  # of pairs with exactly this Jaccard index
    return next((banding for banding in choices if banding.recall(jaccard) >= recall), choices[-1])


def fingerprint(
    tokens: pa.ListArray, size: int, banding: Banding, fold: tuple[str, ...] = ()
) -> Prints:
    """Return the fingerprints of a block of token lists; all empty lists are equal."""

    def fold_token(token: str) -> str:
        """Return the token, or the placeholder of its kind."""
        # By the last character: strings may begin with a prefix, and Rust's raw ones end in #.
        literal = token[0].isdigit() or (token[-1] in "\"'`#" and len(token) > 1)
        if literal:
            return "0" if "literals" in fold else token
        return "a" if "words" in fold and (token[0].isalpha() or token[0] == "_") else token

    # Python hashes each distinct token once; arrays do the rest.
    encoded = tokens.flatten().dictionary_encode()
    texts = (fold_token(word).encode() for word in encoded.dictionary.to_pylist())
    words = [
        int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") for text in texts
    ]
    hashes = np.array(words, dtype=np.uint64)[encoded.indices.to_numpy()]
    lengths = tokens.value_lengths().to_numpy()
    ends = np.cumsum(lengths)
    items = np.repeat(np.arange(len(lengths)), lengths)
    positions = np.arange(len(hashes)) - (ends - lengths)[items]
    # Sums wrap around at 2^64; their differences are still correct.
    sums = np.zeros(len(hashes) + 1, np.uint64)
    np.cumsum(_mix(hashes + positions.astype(np.uint64) * _GOLDEN), out=sums[1:])
    # A list shorter than a shingle is one shingle.
    starts = (positions == 0) | (positions <= lengths[items] - size)
    keys = _distinct_shingles(hashes, items, starts, size)
    owners, shingles = (keys >> np.uint64(32)).astype(np.int64), keys.astype(np.uint32)
    signatures = _signatures(owners, shingles, len(lengths))[:, : banding.bands * banding.rows]
    used: Hashes = signatures.reshape(-1, banding.bands, banding.rows)
    # Hashing the position keeps a band from matching a different band of another signature.
    places = np.arange(1, banding.bands * banding.rows + 1, dtype=np.uint64).reshape(
        banding.bands, banding.rows
    )
    bands = _mix(_mix(used + places * _GOLDEN).sum(axis=2, dtype=np.uint64))
    return Prints(
        digest=pa.array(_mix(sums[ends] - sums[ends - lengths])),
        shingles=_lists(shingles, np.bincount(owners, minlength=len(lengths))),
        bands=_lists(bands.ravel(), np.full(len(lengths), banding.bands)),
    )


def jaccard(left: pa.ListArray, right: pa.ListArray) -> npt.NDArray[np.float64]:
    """Return the Jaccard index of each pair of sets of shingles; 1 for two empty sets."""
    sides = [(side.value_lengths().to_numpy(), side.flatten().to_numpy()) for side in (left, right)]
    # A set holds a shingle once, so a key that occurs twice is in both sets of its pair.
    keys = [
        np.repeat(np.arange(len(left)), lengths).astype(np.uint64) << 32 | values
        for lengths, values in sides
    ]
    joined = np.sort(np.concatenate(keys))
    twice = joined[1:][joined[1:] == joined[:-1]]
    common = np.bincount((twice >> np.uint64(32)).astype(np.int64), minlength=len(left))
    union = sides[0][0] + sides[1][0] - common
    index: npt.NDArray[np.float64] = np.where(union == 0, 1.0, common / np.maximum(union, 1))
    return index


def _mix(values: Hashes) -> Hashes:
    """Apply the finalizer of SplitMix64: every input bit affects every output bit."""
    mixed = values ^ (values >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _distinct_shingles(
    hashes: Hashes, items: npt.NDArray[np.int64], starts: npt.NDArray[np.bool_], size: int
) -> Hashes:
    """Return the distinct shingles, sorted: item number in the upper 32 bits, hash in the lower."""
    total = len(hashes)
    sums = np.zeros(total, np.uint64)
    factors = np.full(size, _GOLDEN).cumprod(dtype=np.uint64)  # odd, so that no token is lost
    for offset in range(min(size, total)):
        # Tokens are missing only in a list shorter than a shingle; they count as 0.
        inside = items[offset:] == items[: total - offset]
        sums[: total - offset] += np.where(inside, hashes[offset:] * factors[offset], 0)
    # With item and hash in one integer, one sort finds the distinct shingles of all items.
    # `np.unique` fills a hash table first since NumPy 2.3, which takes fifty times as long.
    keys = items[starts].astype(np.uint64) << np.uint64(32) | _mix(sums[starts]) >> np.uint64(32)
    keys.sort()
    first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first]


def _lists(values: npt.NDArray[np.generic], lengths: npt.NDArray[np.int64]) -> pa.ListArray:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))


def _signatures(
    items: npt.NDArray[np.int64], shingles: npt.NDArray[np.uint32], count: int
) -> Hashes:
    mixed = _mix(shingles.astype(np.uint64) + _GOLDEN)
    empty = np.uint64(0xFFFFFFFFFFFFFFFF)
    lowest = np.full(count * BINS, empty, np.uint64)
    np.minimum.at(lowest, items * BINS + (mixed % np.uint64(BINS)).astype(np.int64), mixed)
    signature = lowest.reshape(count, BINS)
    # Fill each empty bin from the next full one, and add the distance to its value. The signature
    # is repeated, because the first bin follows the last.
    twice = np.where(np.tile(signature, 2) == empty, 2 * BINS, np.arange(2 * BINS))
    nearest = np.minimum.accumulate(twice[:, ::-1], axis=1)[:, ::-1][:, :BINS]
    distance = (nearest - np.arange(BINS)).astype(np.uint64)
    step = np.uint64(0xC2B2AE3D27D4EB4F)
    return np.take_along_axis(signature, nearest % BINS, axis=1) + distance * step
