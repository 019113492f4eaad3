import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isCurrent, makeOnce, type Product, root } from './built.ts'

const product: Product = {
  mark: 'apps/web/dist/.sources',
  sources: [
    'apps/web/{src,public}/**/*',
    'apps/web/{index.html,vite.config.ts,package.json}',
    'packages/{contract,client}/{package.json,src/**/*}',
    'package-lock.json',
  ],
}

/** True when apps/web/dist was built from exactly the sources that are here. */
export const isWebBuilt = (): boolean => isCurrent(product)

/**
 * Builds the console into apps/web/dist unless it is up to date.
 * @throws Error with what Vite said.
 */
export const buildWeb = (): Promise<void> => makeOnce(product, runVite)

function runVite(): void {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: join(root, 'apps/web'),
    encoding: 'utf8',
    // Whatever the shell says: the console that people get has no aids for its development, which weigh 60 KB.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) throw new Error(`The web console could not be built.\n${stdout}${stderr}`)
}
