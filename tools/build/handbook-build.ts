import { join } from 'node:path'
import { isCurrent, makeOnce, type Product, root } from './built.ts'

const folder = 'apps/web/dist/docs'
// Below the console, whose build empties that folder: the handbook is then built again.
const product: Product = {
  mark: `${folder}/.sources`,
  sources: [
    'docs/*.md',
    'docs/{decisions,generated,images}/*',
    'apps/web/handbook/*',
    'apps/web/src/lib/{storage,theme}.ts',
    'apps/web/src/ui/tokens.css',
    'apps/server/package.json',
    'tools/handbook/*.ts',
    'package-lock.json',
  ],
}

/** True when the handbook was built from exactly the sources that are here. */
export const isHandbookBuilt = (): boolean => isCurrent(product)

/**
 * Builds the handbook into apps/web/dist/docs unless it is up to date.
 * @throws Error with every link that leads nowhere.
 */
export const buildHandbook = (): Promise<void> =>
  makeOnce(product, async () => {
    const { writeHandbook } = await import('../handbook/build.ts')
    await writeHandbook(root, join(root, folder))
  })
