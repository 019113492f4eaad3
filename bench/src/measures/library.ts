import { percentile } from '../figures.ts'
import { type Measure, withServer } from '../measure.ts'
import type { Row } from '../report.ts'

const entries = 10_000
const body = [{ id: 'a', type: 'inject', name: 'every morning' }]

/** The list of a folder of many entries, and of one beside it. */
export const library: Measure = (context) => {
  const count = context.quick ? 2_000 : entries
  return withServer(context, async (server, cookie): Promise<Row[]> => {
    const client = server.client(cookie)
    const { teamId } = context.data
    const list = (path: string) => client.call('library.get', { params: { teamId, '*': path } })
    const save = (path: string) =>
      client.call('library.save', { params: { teamId, '*': path }, body: { type: 'flows', body } })
    await save('beside/one')
    for (let at = 0; at < count; at += 10)
      await Promise.all(Array.from({ length: 10 }, (_, more) => save(`many/entry ${at + more}`)))
    const rows: Row[] = []
    for (const [path, what] of [
      ['many', `a folder of ${count} entries`],
      ['', `the top of a library of ${count} entries`],
    ] as const) {
      const times: number[] = []
      for (let round = -3; round < 40; round++) {
        const began = performance.now()
        await list(path)
        if (round >= 0) times.push(performance.now() - began)
      }
      rows.push({
        name: `list of ${what}, p95`,
        value: percentile(times, 0.95),
        unit: 'ms',
        target: { is: 'below', value: 100 },
        measured: 'GET /storage/library/:team, 40 times one after the other, until its answer is read',
        data: `${count} entries of one folder`,
        note: `p50 ${percentile(times, 0.5).toPrecision(3)}`,
      })
    }
    return rows
  })
}
