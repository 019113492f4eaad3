import { expect, test } from 'vitest'
import type { Line } from './line.ts'
import { createLogStream } from './log.stream.ts'

const minute = 60_000
const line = (msg: string, ago: number): Line => ({ ts: `${Date.now() - ago}0000`, level: 'info', msg })

/** The messages of the lines that a platform is sent whose last line is `last`. */
async function sentAfter(lines: Line[], last: Line | undefined): Promise<string[]> {
  const sent: string[] = []
  const stream = createLogStream({
    history: { lines: async () => lines, follow: () => () => {} },
    publish: async (some) => void sent.push(...some.map(({ msg }) => msg), 'end'),
  })
  stream.start(last?.ts)
  await expect.poll(() => sent.at(-1)).toBe('end')
  return sent.slice(0, -1)
}

test('a platform that asks again gets what came since, also where the clock was put right in between', async () => {
  const [old, recent] = [line('old', 2 * minute), line('recent', minute)]
  expect(await sentAfter([old, recent], undefined)).toEqual(['old', 'recent'])
  expect(await sentAfter([old, recent], old)).toEqual(['recent'])
  expect(await sentAfter([old, recent], recent)).toEqual([])
  const ahead = line('ahead', -1_000 * minute)
  expect(await sentAfter([recent, ahead], ahead)).toEqual(['recent'])
})
