import { diffArrays, diffWordsWithSpace } from 'diff'
import { anchorsOf } from './line-anchors.ts'

/** A piece of a line; `marked`: it differs from the line that it replaces, or that replaces it. */
export type LinePiece = { text: string; marked: boolean }
/** One line of a text in two versions, with its numbers in both. */
export type DifferentLine = {
  kind: 'same' | 'added' | 'removed'
  text: string
  old?: number | undefined
  new?: number | undefined
}
/** Lines one after the other, or those that are unchanged and left out here. */
export type LinePart = DifferentLine | { kind: 'gap'; lines: readonly DifferentLine[] }

type Part = { added: boolean; removed: boolean; value: string[] }

/**
 * The work of a comparison, so that no text holds the page up: edits times lines, since a search for one more edit may pass
 * all lines again. With a limit of time the same texts would look different on a busy machine.
 */
const mostWork = 2_000_000
/** With more edits the lines that both texts have once are looked for first. */
const mostEdits = 1_000
/** The same between two such lines. */
const mostEditsBetween = 200

/** Longer lines are no prose and no code that anybody reads word by word. */
const longestLine = 1_000

/** The lines of both texts in order, removed ones before those that replace them. */
export function lineDifference(before: string, after: string): DifferentLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1
  const [old, next] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  const middle = compare(old, next, { most: mostEdits, work: mostWork }).parts ?? byAnchors(old, next)
  let [oldAt, newAt] = [0, 0]
  const same = (text: string): DifferentLine => ({ kind: 'same', text, old: ++oldAt, new: ++newAt })
  return [
    ...a.slice(0, head).map(same),
    ...middle.flatMap(({ added, removed, value }) =>
      value.map((text): DifferentLine => {
        if (removed) return { kind: 'removed', text, old: ++oldAt }
        return added ? { kind: 'added', text, new: ++newAt } : same(text)
      }),
    ),
    ...a.slice(a.length - tail).map(same),
  ]
}

/** Undefined parts where the texts differ by more than `most` edits, or by more than `work` allows. Returns what it cost. */
function compare(old: string[], next: string[], { most, work }: { most: number; work: number }) {
  const lines = old.length + next.length
  const edits = Math.min(most, lines, Math.floor(work / Math.max(1, lines)))
  const parts = diffArrays(old, next, { maxEditLength: edits })
  const found = parts?.reduce((total, { added, removed, value }) => total + (added || removed ? value.length : 0), 0)
  return { parts, cost: (found ?? edits) * lines }
}

/** Compares what lies between the lines that both texts have once; what is too different is told as a whole. */
function byAnchors(old: string[], next: string[]): Part[] {
  const anchors = anchorsOf(old, next)
  // Between no anchors lie the texts that were just found to be too different.
  if (anchors.length === 0) return [part(old, 'removed'), part(next, 'added')]
  const parts: Part[] = []
  let left = mostWork
  let [fromOld, fromNew] = [0, 0]
  for (const [atOld, atNew] of [...anchors, [old.length, next.length] as const]) {
    const [a, b] = [old.slice(fromOld, atOld), next.slice(fromNew, atNew)]
    const { parts: found, cost } = compare(a, b, { most: mostEditsBetween, work: left })
    left -= cost
    parts.push(...(found ?? [part(a, 'removed'), part(b, 'added')]))
    if (atOld < old.length) parts.push(part([old[atOld]!]))
    ;[fromOld, fromNew] = [atOld + 1, atNew + 1]
  }
  return parts
}

const part = (value: string[], kind?: 'added' | 'removed'): Part => ({
  value,
  added: kind === 'added',
  removed: kind === 'removed',
})

/** Leaves out long runs of unchanged lines but for `context` lines around each change. */
export function withGaps(lines: readonly DifferentLine[], context = 3): LinePart[] {
  const near = new Uint8Array(lines.length)
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') near.fill(1, Math.max(0, at - context), at + context + 1)
  const parts: LinePart[] = []
  let gap: DifferentLine[] = []
  const close = () => {
    // One line takes no more room than saying that it is left out.
    if (gap.length === 1) parts.push(gap[0]!)
    else if (gap.length > 1) parts.push({ kind: 'gap', lines: gap })
    gap = []
  }
  for (const [at, line] of lines.entries()) {
    if (near[at] === 0) {
      gap.push(line)
      continue
    }
    close()
    parts.push(line)
  }
  close()
  return parts
}

/**
 * The words that differ, in each line that replaces another one: where as many lines come as go, the first replaces the
 * first. Lines that have little in common are left out.
 */
export function wordDifferences(parts: readonly LinePart[]): Map<LinePart, LinePiece[]> {
  const found = new Map<LinePart, LinePiece[]>()
  const run = (from: number, kind: string) => {
    let to = from
    while (parts[to]?.kind === kind) to += 1
    return parts.slice(from, to) as DifferentLine[]
  }
  for (let at = 0; at < parts.length; at += 1) {
    const removed = run(at, 'removed')
    if (removed.length === 0) continue
    const added = run(at + removed.length, 'added')
    if (added.length === removed.length) for (const [nth, old] of removed.entries()) mark(found, old, added[nth]!)
    at += removed.length + added.length - 1
  }
  return found
}

function mark(found: Map<LinePart, LinePiece[]>, old: DifferentLine, next: DifferentLine): void {
  if (old.text.length > longestLine || next.text.length > longestLine) return
  const words = diffWordsWithSpace(old.text, next.text, { maxEditLength: 200 })
  const same = words?.filter(({ added, removed }) => !added && !removed).map(({ value }) => value.trim())
  if (!words || !same || same.join('').length * 3 < Math.max(old.text.trim().length, next.text.trim().length)) return
  const pieces = (without: 'added' | 'removed') =>
    words
      .filter((word) => !word[without])
      .map(({ value, added, removed }) => ({ text: value, marked: added || removed }))
  found.set(old, pieces('added'))
  found.set(next, pieces('removed'))
}
