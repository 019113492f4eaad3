type Anchor = readonly [old: number, next: number]

/** The lines that are in each of two texts exactly once and in the same order, as many as there are (patience diff). */
export function anchorsOf(old: readonly string[], next: readonly string[]): Anchor[] {
  const [before, after] = [onlyOnes(old), onlyOnes(next)]
  const both = [...before].flatMap(([line, at]): Anchor[] => {
    const other = after.get(line)
    return other === undefined ? [] : [[at, other]]
  })
  return longestRising(both)
}

function onlyOnes(lines: readonly string[]): Map<string, number> {
  const found = new Map<string, number>()
  const twice = new Set<string>()
  for (const [at, line] of lines.entries()) {
    if (found.has(line)) twice.add(line)
    found.set(line, at)
  }
  for (const line of twice) found.delete(line)
  return found
}

/** The longest choice of pairs, in order of the first text, that is in order of the second as well. */
function longestRising(pairs: readonly Anchor[]): Anchor[] {
  type Link = { pair: Anchor; before: Link | undefined }
  /** The end of the best choice of each length. */
  const ends: Link[] = []
  for (const pair of pairs.toSorted(([a], [b]) => a - b)) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]!.pair[1] < pair[1]) low = middle + 1
      else high = middle
    }
    ends[low] = { pair, before: ends[low - 1] }
  }
  const chosen: Anchor[] = []
  for (let link = ends.at(-1); link; link = link.before) chosen.push(link.pair)
  return chosen.reverse()
}
