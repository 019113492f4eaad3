/** One line of a text in two versions. */
export type DifferentLine = { kind: 'same' | 'added' | 'removed'; text: string }
/** Lines one after the other, or how many unchanged ones are left out here. */
export type LinePart = DifferentLine | { kind: 'gap'; count: number }

/** Beyond so many pairs of lines the changed part is told as a whole, so that no text holds the page up. */
const most = 4_000_000

/** The lines of both texts in order, each removed line before the one that replaces it. */
export function lineDifference(before: string, after: string): DifferentLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1
  const same = (text: string): DifferentLine => ({ kind: 'same', text })
  return [
    ...a.slice(0, head).map(same),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ]
}

/** By the longest common subsequence of the lines between what both begin and end with. */
function middle(a: string[], b: string[]): DifferentLine[] {
  const whole = (): DifferentLine[] => [
    ...a.map((text) => ({ kind: 'removed' as const, text })),
    ...b.map((text) => ({ kind: 'added' as const, text })),
  ]
  if (a.length * b.length > most || a.length === 0 || b.length === 0) return whole()
  const width = b.length + 1
  const longest = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!)
  const lines: DifferentLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! })
      i += 1
      j += 1
    } else if (j >= b.length || (i < a.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      lines.push({ kind: 'removed', text: a[i]! })
      i += 1
    } else {
      lines.push({ kind: 'added', text: b[j]! })
      j += 1
    }
  }
  return lines
}

/** The same with long runs of unchanged lines left out, but for `context` lines around each change. */
export function withGaps(lines: readonly DifferentLine[], context = 2): LinePart[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== 'same'),
  )
  const parts: LinePart[] = []
  for (const [at, line] of lines.entries()) {
    const last = parts.at(-1)
    if (near[at]) parts.push(line)
    else if (last?.kind === 'gap') last.count += 1
    else parts.push({ kind: 'gap', count: 1 })
  }
  return parts
}
