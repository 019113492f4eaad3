import { chromium } from 'playwright-core'
import { findChromium } from '../../../tools/test/chromium.ts'
import { percentile } from '../figures.ts'
import { type Measure, withServer } from '../measure.ts'
import type { Row } from '../report.ts'

const nodes = 5_000

/** From the click on a snapshot of many nodes until they are drawn, in a real browser. */
export const flowDrawing: Measure = async (context) => {
  const rounds = context.quick ? 3 : 15
  return withServer(context, async (server, cookie): Promise<Row[]> => {
    const client = server.client(cookie)
    const { teamId } = context.data
    const { projects } = await client.call('instance.listOfTeam', { params: { teamId }, query: { limit: 1 } })
    const { id } = projects[0]!
    const body = { name: 'Many', flows: flows() }
    const snapshot = await client.call('snapshot.create', { params: { instanceId: id }, body })
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: ['--no-sandbox', '--disable-gpu'],
    })
    try {
      const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })
      const [name, value] = cookie.split('=', 2)
      await page.context().addCookies([{ name: name!, value: value!, url: server.address }])
      const times: number[] = []
      for (let i = -1; i < rounds; i++) {
        await page.goto(`${server.address}/instance/${id}/snapshots`)
        const link = page.locator(`a[href$="/snapshots/${snapshot.id}"]`).first()
        await link.waitFor()
        const began = performance.now()
        await link.click()
        await page.locator('svg[role=img] text').first().waitFor()
        if (i >= 0) times.push(performance.now() - began)
      }
      return [
        {
          name: `drawing of ${nodes} nodes, p95`,
          value: percentile(times, 0.95) / 1_000,
          unit: 's',
          target: { is: 'below', value: 1 },
          measured: `from the click on a snapshot until its nodes are drawn in Chromium, ${rounds} times, each after a new load of the list`,
          data: `${nodes} wired nodes on one tab`,
          note: `p50 ${(percentile(times, 0.5) / 1_000).toPrecision(3)}`,
        },
      ]
    } finally {
      await browser.close()
    }
  })
}

function flows(): Record<string, unknown>[] {
  const node = (at: number) => ({
    id: `n${at}`,
    type: at % 3 === 0 ? 'function' : 'change',
    z: 'tab',
    name: `step ${at}`,
    x: 120 + (at % 50) * 200,
    y: 60 + Math.floor(at / 50) * 60,
    func: 'return msg',
    wires: at % 50 === 49 ? [] : [[`n${at + 1}`]],
  })
  return [{ id: 'tab', type: 'tab', label: 'Many' }, ...Array.from({ length: nodes }, (_, at) => node(at))]
}
