import { relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'
import { isCurrent, makeOnce, type Product, root } from './built.ts'

const product: Product = {
  mark: 'apps/server/dist/.sources',
  sources: [
    'apps/server/{package.json,src/**/*}',
    'packages/*/{package.json,src/**/*}',
    'tools/server-build.ts',
    'package-lock.json',
  ],
}

/** True when apps/server/dist was built from exactly the sources that are here. */
export const isServerBuilt = (): boolean => isCurrent(product)

/** Bundles the server into apps/server/dist unless it is up to date. @throws Error with what is wrong in the sources. */
export const buildServer = (): Promise<void> =>
  makeOnce(product, () => bundle('apps/server/src/main.ts', 'apps/server/dist'))

/**
 * Makes one file, `main.js`, of a program of Node.js and all it imports, with more beside it for what it loads later.
 * To find, read and strip a thousand files one by one takes as long as everything else that a start does.
 * @param entry path below the root of the project, as `folder` may be, whose contents it takes the place of.
 */
export async function bundle(entry: string, folder: string): Promise<void> {
  const { build } = await import('rolldown')
  await build({
    cwd: root,
    input: entry,
    platform: 'node',
    // pg looks for both, and does without.
    external: ['pg-native', 'cloudflare:sockets'],
    plugins: [placesOf(resolve(root, folder))],
    logLevel: 'silent',
    output: { dir: folder, entryFileNames: 'main.js', chunkFileNames: '[name].js', cleanDir: true },
  })
}

/** What a module finds from where it stands it goes on finding there. */
function placesOf(folder: string): Plugin {
  return {
    name: 'places',
    transform: {
      filter: { code: 'import.meta', id: /^(?!.*node_modules)/ },
      handler(code, id) {
        const place = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`
        return code.replaceAll(/\bimport\.meta\.(\w+)/g, (all, property) => {
          if (property !== 'url') throw new Error(`A bundled module may know import.meta.url, not ${all}`)
          return place
        })
      },
    },
  }
}
