import { join } from 'node:path'
import { makeOnce, type Product, root } from './built.ts'

const folder = 'apps/web/dist/docs'
/** The handbook, below the console, whose build empties that folder: the handbook is then built again. */
export const handbook: Product = {
  mark: `${folder}/.sources`,
  sources: [
    'docs',
    'apps/web/handbook',
    ...['lib/storage.ts', 'lib/theme.ts', 'ui/tokens.css'].map((name) => `apps/web/src/${name}`),
    'apps/server/package.json',
    'tools/handbook',
    'package-lock.json',
  ],
}

/**
 * Builds the handbook into apps/web/dist/docs unless it is up to date.
 * @throws Error with every link that leads nowhere.
 */
export const buildHandbook = (): Promise<void> =>
  makeOnce(handbook, async () => {
    const { writeHandbook } = await import('../handbook/build.ts')
    await writeHandbook(root, join(root, folder))
  })
