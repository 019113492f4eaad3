import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { findChromium } from '../../../tools/test/chromium.ts'
import { median, spread } from '../figures.ts'
import { type Measure, withServer } from '../measure.ts'
import type { Row } from '../report.ts'

/** Fetched when it is needed: its 176 MB would be in every installation. */
const lighthouse = 'lighthouse@13.5.0'

interface Report {
  categories: { performance: { score: number } }
  audits: Record<string, { displayValue?: string; details?: { items?: unknown[] } }>
}

/** Lighthouse's verdict on the first screen of a visitor, as on a phone with a slow connection. */
export const signInPage: Measure = async (context) => {
  const rounds = context.quick ? 1 : 5
  return withServer(context, async (server): Promise<Row[]> => {
    const reports: Report[] = []
    for (let round = 0; round < rounds; round++) reports.push(await judge(server.address))
    const scores = reports.map(({ categories }) => categories.performance.score * 100)
    const told = [
      'first-contentful-paint',
      'largest-contentful-paint',
      'total-blocking-time',
      'cumulative-layout-shift',
    ]
    const last = reports.at(-1)!.audits
    return [
      {
        name: 'sign-in page, Lighthouse performance',
        value: median(scores),
        unit: '',
        target: { is: 'at least', value: 90 },
        measured: `${lighthouse} as it comes: a phone with a slow connection; median of ${rounds}`,
        data: 'nobody signed in, nothing cached',
        note: [spread(scores), ...told.map((name) => `${name} ${last[name]?.displayValue ?? 'unknown'}`)].join('; '),
      },
    ]
  })
}

async function judge(url: string): Promise<Report> {
  const args = ['exec', '--yes', '--', lighthouse, url, '--only-categories=performance', '--output=json', '--quiet']
  const { stdout } = await promisify(execFile)('npm', [...args, '--chrome-flags=--headless --no-sandbox'], {
    env: { ...process.env, CHROME_PATH: findChromium(), PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    maxBuffer: 100_000_000,
  })
  return JSON.parse(stdout) as Report
}
