import { afterAll, beforeAll, expect, test } from 'vitest'
import { labelled, on, openRealPlatform, type RealPlatform } from './real.platform.ts'

let platform: RealPlatform
beforeAll(async () => {
  platform = await openRealPlatform()
})
afterAll(() => platform.close())

/** Ends its process a moment after it has begun to act. */
const ending = [
  on('soon', 'inject', { props: [], once: true, onceDelay: 0.2, repeat: '', wires: [['end']] }),
  on('end', 'function', { func: "Promise.reject(new Error('over'))", outputs: 1, wires: [[]] }),
]

/** Asks one thing after the other until `end`; returns how often there was no answer of the flows, by status. */
function asking(name: string) {
  let isOver = false
  const lost: number[] = []
  let asked = 0
  const done = (async () => {
    while (!isOver) {
      const { status } = await platform.visit(name, '/word')
      asked += 1
      if (status !== 200) lost.push(status)
    }
  })()
  return {
    async end() {
      isOver = true
      await done
      return { lost, asked }
    },
  }
}

test('a version that ends after it has taken over costs no request but the one it had in hand', async () => {
  const one = await platform.make('5.0.7')
  await platform.importTo(one, labelled('first'))
  const requests = asking(one.name)
  const refused = await platform.importTo(one, [...labelled('second'), ...ending])
  const { lost, asked } = await requests.end()
  expect(refused).toMatchObject({ state: 'failed', takeover: { way: 'held' } })
  expect((await platform.visit(one.name, '/word')).text).toBe('first')
  expect(asked).toBeGreaterThan(20)
  expect(lost.length).toBeLessThanOrEqual(1)
})
