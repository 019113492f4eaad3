import { afterAll, beforeAll, expect, test } from 'vitest'
import { ending, labelled, openRealPlatform, type RealPlatform } from './real.platform.ts'

let platform: RealPlatform
beforeAll(async () => {
  platform = await openRealPlatform({ steadySeconds })
})
afterAll(() => platform.close())

const everyMs = 10
/** Long beside the gap, so that a request which waits for the judging shows. */
const steadySeconds = 4

/** Asks every 10 ms, whether answered or not, until `end`; returns the answers that were not of the flows. */
function asking(name: string) {
  const ask = async () => {
    const from = performance.now()
    const { status } = await platform.visit(name, '/word')
    return { status, tookMs: performance.now() - from }
  }
  const answers: ReturnType<typeof ask>[] = []
  const timer = setInterval(() => answers.push(ask()), everyMs)
  return {
    async end() {
      clearInterval(timer)
      const all = await Promise.all(answers)
      return {
        asked: all.length,
        lost: all.flatMap(({ status }) => (status === 200 ? [] : [status])),
        longestMs: Math.max(...all.map(({ tookMs }) => tookMs)),
      }
    },
  }
}

test('a version that ends after it has taken over costs only the requests that it had in hand', async () => {
  const one = await platform.make('5.0.7')
  await platform.importTo(one, labelled('first'))
  const requests = asking(one.name)
  const refused = await platform.importTo(one, [...labelled('second'), ...ending])
  const { lost, asked } = await requests.end()
  expect(refused).toMatchObject({ state: 'failed', takeover: { way: 'held' } })
  expect((await platform.visit(one.name, '/word')).text).toBe('first')
  expect(asked).toBeGreaterThan(50)
  expect(lost.filter((status) => status !== 502)).toEqual([])
  expect(lost.length).toBeLessThan(asked / 10)
})

test('requests wait while neither version acts, also where the flows before stop first', async () => {
  const one = await platform.make('5.0.7')
  await platform.importTo(one, labelled('first'))
  const takeover = { takeover: 'stop-first' } as const
  await platform.owner.client.call('instance.update', { params: { instanceId: one.id }, body: takeover })
  const requests = asking(one.name)
  const done = await platform.importTo(one, labelled('second'))
  const { lost, asked, longestMs } = await requests.end()
  expect(done).toMatchObject({ state: 'done', takeover: { way: 'stop-first' } })
  expect((await platform.visit(one.name, '/word')).text).toBe('second')
  expect(asked).toBeGreaterThan(50)
  expect(lost).toEqual([])
  expect(longestMs).toBeLessThan(done.takeover!.gapMs! + steadySeconds * 1_000)
})
