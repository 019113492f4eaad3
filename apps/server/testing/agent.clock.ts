import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Arguments of Node.js with which it, and each Node-RED that it starts, sees a clock that is off by `ms`. */
export function wrongClock(ms: number): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'forge-clock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [clock, node] = [join(folder, 'clock.mjs'), join(folder, 'node')]
  writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' --import '${clock}' "$@"\n`)
  chmodSync(node, 0o755)
  writeFileSync(
    clock,
    `process.execPath = ${JSON.stringify(node)}
const now = Date.now.bind(Date)
const off = () => now() + ${ms}
globalThis.Date = new Proxy(Date, {
  construct: (Real, given, as) => Reflect.construct(Real, given.length > 0 ? given : [off()], as),
  apply: (Real) => new Real(off()).toString(),
  get: (Real, name) => (name === 'now' ? off : Reflect.get(Real, name)),
})
`,
  )
  return ['--import', clock]
}
