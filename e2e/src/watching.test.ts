import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import {
  adjust,
  answer,
  createInstance,
  openTeam,
  screens,
  sees,
  shot,
  until,
  untilState,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors, owner, team, application } = await openTeam()
const count = 100_000
/** About what a runtime puts into one. */
const perFile = 5_000
const patience = { timeout: 60_000 }
let visitor: Visitor
const applicationId = application.id
const { id } = await createInstance(owner.client, { name: 'oven-line', applicationId })
const other = await createInstance(owner.client, { name: 'press-line', applicationId })
const instance = await untilState(owner.client, id, 'running')
await untilState(owner.client, other.id, 'running')
await owner.client.call('instance.suspend', { params: { instanceId: other.id } })
seedLog(id)

beforeEach(async () => {
  visitor = await visitors.open(platform(), owner)
})

/** The instance's log of the days before: a line each second, every thousandth an error. */
function seedLog(id: string): void {
  const folder = join(platform().home, 'instances', id, 'logs')
  const began = Date.now() - 2 * count * 1_000
  const tsOf = (n: number) => `${began + n * 1_000}0000`
  const { uid, gid } = statSync(folder)
  for (let first = 0; first < count; first += perFile) {
    let text = ''
    for (let n = first; n < first + perFile; n += 1) {
      const [level, msg] =
        n % 1_000 === 500 ? ['error', `[function:Normalise] no zone ${n}`] : ['info', `baked tray ${n}`]
      text += `${JSON.stringify({ ts: tsOf(n), level, msg, src: '57ab' })}\n`
    }
    const file = join(folder, `${tsOf(first)}.ndjson`)
    writeFileSync(file, text)
    chownSync(file, uid, gid)
  }
}

test('[NRLOG-01] [NRLOG-02] [NRLOG-04] [NRLOG-08] An application shows the log of the instance that is chosen', async () => {
  const { page } = visitor
  await page.goto(`/application/${instance.application.id}/logs`)
  await sees(page.getByText('Started flows').first())
  expect(await page.getByRole('combobox', { name: 'Replica' }).count(), 'without High Availability').toBe(0)
  const asked: string[] = []
  page.on('request', (call) => call.url().includes('/logs') && asked.push(call.url()))
  await page.getByRole('combobox', { name: 'Application Instance:' }).click()
  await page.getByRole('option', { name: 'press-line' }).click()
  await sees(page.getByText('Logs unavailable'), page.getByRole('link', { name: /suspended\s*, open press-line/ }))
  expect(asked.filter((url) => !url.includes(instance.id))).toEqual([])
  await page.getByRole('combobox', { name: 'Application Instance:' }).click()
  await page.getByRole('option', { name: 'oven-line' }).click()
  await page.getByRole('link', { name: /running\s*, open oven-line/ }).click()
  await page.waitForURL(`**/instance/${instance.id}/overview`)
})

test('[NRLOG-09] A log that cannot be reached is said in a banner and in a toast', async () => {
  const { page, expectProblem } = visitor
  expectProblem(/503/)
  const text = 'The Node-RED instance cannot be reached at this time. Please wait...'
  await answer(page, `GET /api/v1/projects/${instance.id}/logs`, 503, { code: 'connection_refused', error: 'away' })
  await page.goto(`/instance/${instance.id}/logs`)
  await sees(page.getByRole('main').getByText(text), screens.toast(page, text))
})

test('A log of 100,000 lines is searched, narrowed down by a link and downloaded whole', {
  timeout: 180_000,
}, async () => {
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/logs`)
  const log = page.getByRole('log', { name: 'Log lines' })
  await sees(log.getByText('Started flows').first())
  await page.getByRole('button', { name: 'Load earlier lines' }).click()
  const wrap = page.getByRole('button', { name: 'Wrap', exact: true })
  expect(await wrap.getAttribute('aria-pressed')).toBe('false')
  // Following stops when a person scrolls back to read.
  await page.getByRole('button', { name: 'Follow' }).click()
  await page.getByRole('button', { name: 'Pause' }).click()
  await sees(page.getByRole('button', { name: 'Follow' }))

  await page.getByRole('searchbox', { name: 'Search log' }).fill('no zone 1')
  await page.getByRole('button', { name: 'Only matches' }).click()
  await log.getByText('no zone 1500').waitFor(patience)
  await page.waitForURL(/q=.*only=matches/)
  // 1500, and 10500 to 19500: the search went to the beginning of the log.
  await page.getByText('11 matches').waitFor(patience)
  expect(await log.locator('[data-index]').count()).toBe(11)

  await page.goto(`/instance/${instance.id}/logs?level=error&q=zone`)
  await log.getByText('no zone 99500').waitFor(patience)
  await until(
    () => log.locator('[data-index]').count(),
    (shown) => shown > 10 && shown < 100,
    60_000,
  )
  await shot(page, 'instance-logs-filtered')

  const [whole] = await Promise.all([
    page.waitForEvent('download', patience),
    screens.menu.choose(page, 'Download log', 'Whole, as text'),
  ])
  expect(whole.suggestedFilename()).toBe('oven-line.log')
  const lines = readFileSync(await whole.path(), 'utf8').split('\n')
  expect(lines.length).toBeGreaterThan(count)
  expect(lines[0]).toMatch(/Z info \[57ab\] baked tray 0$/)

  // On a phone the end of a line is not out of sight.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await expect.poll(() => wrap.getAttribute('aria-pressed')).toBe('true')
})

test('The charts of an instance, and those of a team side by side, show what was measured', {
  timeout: 180_000,
}, async () => {
  const { page } = visitor
  const params = { instanceId: instance.id }
  const measured = async () => (await owner.client.call('metrics.instance', { params, query: {} })).series
  const real = await until(measured, ({ memory }) => memory.at(-1) !== null, 45_000)
  expect(real.memory.at(-1)).toBeGreaterThan(30)

  await page.goto(`/instance/${instance.id}/overview`)
  await page.getByRole('main').getByRole('link', { name: 'Performance' }).click()
  await sees(screens.heading(page, 'CPU'), screens.heading(page, 'Memory'), screens.heading(page, 'Requests'))

  // Two days of work take longer than a test.
  const { page: later } = await visitors.open(platform(), owner)
  await adjust(later, `/api/v1/projects/${instance.id}/metrics`, (reply) => worked(reply as never))
  await adjust(later, `/api/v1/teams/${team.id}/metrics`, (reply) => {
    const { instances } = reply as { instances: { name: string; series: object }[] }
    const full = instances.map((one) => (one.name === 'oven-line' ? { ...one, series: seriesOf(60) } : one))
    return { ...reply, instances: full }
  })
  await later.goto(`/instance/${instance.id}/performance?window=24h`)
  const slider = later.getByRole('slider', { name: 'CPU, point in time' })
  await slider.focus()
  await later.keyboard.press('End')
  await later.keyboard.press('ArrowLeft')
  await until(
    () => slider.getAttribute('aria-valuetext'),
    (text) => /: [\d.,]+ %$/.test(text ?? ''),
  )
  await shot(later, 'instance-performance')
  await later.getByRole('radio', { name: 'Table' }).click()
  await sees(later.getByRole('table').getByText('Node-RED started').first())
  await later.goto(`/team/${team.slug}/performance`)
  await sees(later.getByRole('img', { name: /^CPU of oven-line, at last [\d.,]+ %$/ }))
  await sees(later.getByRole('img', { name: 'CPU of press-line, at last Not measured' }))
  await shot(later, 'team-performance')
})

/** The figures of a busy instance: a day's waves, a pause and three starts. */
function worked(reply: { from: number; step: number; series: { cpu: unknown[] } }) {
  const { length } = reply.series.cpu
  const starts = [0.3, 0.62, 0.996].map((share) => reply.from + Math.round(length * share) * reply.step * 1_000)
  return { ...reply, series: seriesOf(length), starts }
}

function seriesOf(length: number) {
  const along = (of: (share: number, n: number) => number) =>
    Array.from({ length }, (_, n) => (n / length > 0.5 && n / length < 0.62 ? null : of(n / length, n)))
  const noise = (n: number) => (((n * 7919) % 97) / 97) * 0.2 + 0.9
  return {
    cpu: along((share, n) => (0.12 + 0.09 * Math.sin(share * 14)) * noise(n)),
    memory: along((share, n) => Math.round(82 + 30 * ((share * 3) % 1) + noise(n))),
    delay: along((share, n) => Math.round((n % 41 === 0 ? 60 : 4) * noise(n) * (1 + share))),
    requests: along((share, n) => Math.round((240 + 200 * Math.sin(share * 9)) * noise(n))),
  }
}
