import { readdirSync, writeFileSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'
import { makeOnce, type Product, root, sourcesOfPackage } from './built.ts'

/** A program of Node.js: its entries by their names, the folder it is built into, and what it is built from. */
interface Program {
  entries: Record<string, string>
  folder: string
  product: Product
  /** Libraries that it can load and never does. */
  without: string[]
}

const programOf = (app: string, entries: string[], without: string[] = []): Program => ({
  without,
  entries: Object.fromEntries(entries.map((name) => [basename(name), `apps/${app}/src/${name}.ts`])),
  folder: `apps/${app}/dist`,
  product: {
    mark: `apps/${app}/dist/.sources`,
    sources: [
      `apps/${app}/package.json`,
      `apps/${app}/src`,
      ...readdirSync(resolve(root, 'packages')).flatMap(sourcesOfPackage),
      'tools/build/node-build.ts',
      'package-lock.json',
    ],
  },
})
const server = programOf('server', ['main', 'cli/start', 'cli/flowforge'])
const runtime = programOf('instance-runtime', ['main', 'trial.main'])
const broker = programOf('broker', ['main'])
// Devices have no cluster, and its client is the largest library of all.
const agent = programOf('agent', ['main'], ['@kubernetes/client-node'])

/** The program of an instance, once `buildRuntime` has built it. */
export const runtimeEntry = resolve(root, runtime.folder, 'main.js')

const build = ({ entries, folder, product, without }: Program) =>
  makeOnce(product, () => bundle(entries, folder, without))

/** The server, the agent, the runtime of instances and the broker. */
export const programs: Product[] = [server, agent, runtime, broker].map(({ product }) => product)

/** Bundles the runtime of instances unless it is up to date. @throws Error with what is wrong in the sources. */
export const buildRuntime = (): Promise<void> => build(runtime)

/** Bundles the broker unless it is up to date. @throws Error like `buildRuntime`. */
export const buildBroker = (): Promise<void> => build(broker)

/** Bundles the agent of devices and what it runs, with the licences it is under. @throws Error like `buildRuntime`. */
export async function buildAgent(): Promise<void> {
  await makeOnce(agent.product, async () => {
    await bundle(agent.entries, agent.folder, agent.without)
    const [{ licencesText }, { readLock, shippedBy }] = await Promise.all([
      import('../release/licences.ts'),
      import('../release/lock.ts'),
    ])
    const shipped = ['apps/agent', 'apps/instance-runtime', 'packages/nodered', 'packages/drivers']
    const text = licencesText(root, shippedBy(readLock(root), shipped))
    writeFileSync(resolve(root, agent.folder, 'THIRD-PARTY-LICENSES.txt'), text)
  })
  await buildRuntime()
}

/** Bundles the server, the agent, the runtime of instances and the broker, each unless it is up to date. @throws Error like `buildRuntime`. */
export async function buildPrograms(): Promise<void> {
  await build(server)
  await buildAgent()
  await buildBroker()
}

/**
 * Makes one file, `<name>.js`, of each entry of a program of Node.js and all it imports, with more beside it for what
 * they share or load later. To find, read and strip the files one by one takes as long as everything else that a start
 * does.
 * @param entries paths below the root of the project by name; `folder` may be one, whose contents they take the place of;
 * `without`: libraries that are left where they are.
 */
export async function bundle(
  entries: Record<string, string>,
  folder: string,
  without: readonly string[] = [],
): Promise<void> {
  const { build } = await import('rolldown')
  await build({
    cwd: root,
    input: entries,
    platform: 'node',
    // pg looks for both, and does without.
    external: ['pg-native', 'cloudflare:sockets', ...without],
    plugins: [ownPaths(resolve(root, folder)), lazyNode()],
    logLevel: 'silent',
    output: {
      dir: folder,
      entryFileNames: '[name].js',
      // In a folder node_modules Node.js 20.16 takes a .js for CommonJS.
      chunkFileNames: ({ name }) => (name.startsWith('node_modules/') ? '[name].mjs' : '[name].js'),
      cleanDir: true,
      // A process keeps the source of what it runs. In ASCII a character of it takes one byte instead of two.
      comments: { legal: true, annotation: false, jsdoc: false },
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
      // With a library all that it shares with others would be loaded too.
      codeSplitting: { groups: groupsOf(withOldHabits), includeDependenciesRecursively: false },
    },
  })
}

/**
 * Node.js warns of old habits of programs, and not of those of libraries, which it knows by the folder they are in. Each has
 * a file of its own: not every program loads both.
 */
const withOldHabits = ['passport', 'mqtt']
const groupsOf = (names: readonly string[]) =>
  names.map((name) => ({ name: `node_modules/${name}`, test: new RegExp(`node_modules/${name}[-/]`) }))

/** A module keeps finding its neighbours from its original place. */
function ownPaths(folder: string): Plugin {
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

/** Exports of `http` for which all of `fetch` is loaded; they exist as globals too. */
const ofFetch = new Set(['WebSocket', 'CloseEvent', 'MessageEvent'])

/**
 * Takes from these modules of Node.js what is imported and no more. An import as it stands reads all that such a module
 * exports, and Node.js loads then what it would load when asked: for `http` all of `fetch`, 14 MB in a small program.
 */
function lazyNode(): Plugin {
  const prefix = '\0lazy:'
  return {
    name: 'lazy-node',
    resolveId: {
      filter: { id: /^(node:)?(http|fs|util|process)$/ },
      handler: (id, _importer, { kind }) =>
        kind === 'require-call' ? undefined : { id: prefix + id.replace('node:', ''), moduleSideEffects: false },
    },
    load: {
      filter: { id: /^\0lazy:/ },
      handler(id) {
        const name = id.slice(prefix.length)
        const names = Object.keys(process.getBuiltinModule(name as 'http')).filter((key) => !ofFetch.has(key))
        return [
          `const all = process.getBuiltinModule('node:${name}')`,
          'export default all',
          ...names.map((key) => `export const ${key} = /* @__PURE__ */ (() => all.${key})()`),
        ].join('\n')
      },
    },
  }
}
