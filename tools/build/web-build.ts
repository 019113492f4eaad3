import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { makeOnce, type Product, root, sourcesOfPackage } from './built.ts'

/** The console, apps/web/dist. */
export const web: Product = {
  mark: 'apps/web/dist/.sources',
  sources: [
    ...['src', 'public', 'index.html', 'vite.config.ts', 'package.json'].map((name) => `apps/web/${name}`),
    ...['contract', 'client'].flatMap(sourcesOfPackage),
    'package-lock.json',
  ],
}

/**
 * Builds the console into apps/web/dist unless it is up to date.
 * @throws Error with what Vite said.
 */
export const buildWeb = (): Promise<void> => makeOnce(web, runVite)

function runVite(): void {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: join(root, 'apps/web'),
    encoding: 'utf8',
    // The variables of the shell do not matter: the console that people get has no aids for its development,
    // which weigh 60 KB.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) throw new Error(`The web console could not be built.\n${stdout}${stderr}`)
}
