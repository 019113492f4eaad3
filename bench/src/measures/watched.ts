import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Measure } from '../measure.ts'
import { cpuMsOf } from '../processes.ts'

const program = join(import.meta.dirname, '../watched.server.ts')
const settleMs = 30_000
const windowMs = 120_000

/** The cost of watching many instances. A simulated driver has them, since no machine of a test runs as many. */
export const watched: Measure = async ({ quick }) => {
  const count = quick ? 40 : 2_000
  const child = spawn(process.execPath, [program, String(count)], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    for await (const line of createInterface(child.stdout)) if (line === 'ready') break
    await sleep(quick ? 1_000 : settleMs)
    const [before, from] = [cpuMsOf(child.pid!), performance.now()]
    await sleep(quick ? 5_000 : windowMs)
    const passed = performance.now() - from
    return [
      {
        name: `server CPU, ${count} simulated instances`,
        value: (100 * (cpuMsOf(child.pid!) - before)) / passed,
        unit: '%',
        target: { is: 'at most', value: 10 },
        measured: `CPU of the server in ${Math.round(passed / 1000)} s, of one core`,
        data: 'instances of the driver of tests in 20 teams, whose use of CPU and memory changes each second; SQLite, no page is open',
      },
    ]
  } finally {
    child.stdin.end()
    await once(child, 'exit')
  }
}
