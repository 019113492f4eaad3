import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const mark = join(root, 'apps/web/dist/.sources')
const sources = [
  'apps/web/{src,public}/**/*',
  'apps/web/{index.html,vite.config.ts,package.json}',
  'packages/{contract,client}/{package.json,src/**/*}',
  'package-lock.json',
]

/** True when apps/web/dist was built from exactly the sources that are here. */
export function isWebBuilt(): boolean {
  return existsSync(mark) && readFileSync(mark, 'utf8') === sourcesHash()
}

/**
 * Builds the console into apps/web/dist unless it is up to date.
 * @throws Error with what Vite said.
 */
export function buildWeb(): void {
  if (isWebBuilt()) return
  const hash = sourcesHash()
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: join(root, 'apps/web'),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The web console could not be built.\n${stdout}${stderr}`)
  writeFileSync(mark, hash)
}

/** Contents, not times: a fresh clone and a changed branch give new times to old files. */
function sourcesHash(): string {
  const hash = createHash('sha256')
  for (const path of globSync(sources, { cwd: root }).sort()) {
    if (!statSync(join(root, path)).isFile() || path.includes('.test.')) continue
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0')
  }
  return hash.digest('hex')
}

if (import.meta.main) {
  buildWeb()
  console.log('The web console is built.')
}
