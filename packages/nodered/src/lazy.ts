import { createRequire, Module } from 'node:module'
import { join } from 'node:path'

/**
 * Packages that Node-RED asks for as it starts and touches only when a node or a person needs them, by who asks. With
 * all that they load themselves they are a fifth of a start and 8 MB of every instance, most of which never need them.
 */
const unhurried: Record<string, Record<string, Waiting>> = {
  '@node-red/nodes': {
    acorn: {},
    'acorn-walk': {},
    ajv: { calls: ['addMetaSchema'] },
    cheerio: {},
    'js-yaml': {},
    mqtt: { loaded: keepNoNumbers },
    multer: {},
    'tough-cookie': { parts: ['CookieJar'] },
    ws: {},
    xml2js: { parts: ['parseString'] },
  },
  '@node-red/registry': { tar: {} },
  '@node-red/util': { './lib/jsonata': {}, 'moment-timezone': {} },
}

/** Uses of a package during the start that may wait as well. */
interface Waiting {
  /** Methods that are called on an object of the package. */
  calls?: readonly string[]
  /** Functions and classes that are taken out of the package. */
  parts?: readonly string[]
  /** Called once the package is loaded; `require` finds what the package does. */
  loaded?: (require: NodeJS.Require) => void
}

/** MQTT would keep the bytes of each number up to 65535, 8 MB. */
function keepNoNumbers(require: NodeJS.Require): void {
  const path = resolved(require, 'mqtt-packet')
  if (path) (require(path) as { writeToStream: { cacheNumbers: boolean } }).writeToStream.cacheNumbers = false
}

/**
 * Lets whoever requires one of these packages of a Node-RED have a stand-in, which loads it when something is done
 * with it for the first time. `nodeRedPath`: folder of the stack. What is not there or loaded already stays as it is.
 */
export function loadLazily(nodeRedPath: string): void {
  for (const [asker, packages] of Object.entries(unhurried)) {
    const require = createRequire(join(nodeRedPath, 'node_modules', asker, 'package.json'))
    for (const [name, waiting] of Object.entries(packages)) putStandIn(require, name, waiting)
  }
}

function putStandIn(require: NodeJS.Require, name: string, waiting: Waiting): void {
  const path = resolved(require, name)
  if (path === undefined || require.cache[path]) return
  const module = Object.assign(new Module(path), { filename: path, loaded: true })
  module.exports = standIn(() => {
    if (require.cache[path] === module) delete require.cache[path]
    const real = require(path) as object
    waiting.loaded?.(createRequire(path))
    return real
  }, waiting)
  require.cache[path] = module
}

function resolved(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name)
  } catch {
    // Another version of Node-RED may not have it.
    return undefined
  }
}

/**
 * Looks and behaves as what `load` returns, which is called once, when anything is asked of it but its `parts`: those are
 * stand-ins too. So are the objects that it constructs if there are `calls`: those are made when another one is.
 */
function standIn(load: () => object, { calls = [], parts = [] }: Waiting): object {
  let loaded: object | undefined
  const real = () => (loaded ??= load())
  const construct = (args: unknown[]) => Reflect.construct(real() as new () => object, args) as object
  const partOf = (name: string) => standIn(() => Reflect.get(real(), name) as object, {})
  return new Proxy(nothing(), {
    ...forwarding(real),
    get: (_, name) =>
      !loaded && parts.includes(String(name)) ? partOf(String(name)) : (Reflect.get(real(), name) as unknown),
    construct: (_, args) => (calls.length === 0 ? construct(args) : patient(() => construct(args), calls)),
  })
}

function patient(make: () => object, calls: readonly string[]): object {
  const waiting: ((made: object) => unknown)[] = []
  let made: object | undefined
  const real = () => {
    if (made) return made
    made = make()
    for (const call of waiting) call(made)
    return made
  }
  const later = (name: string, args: unknown[]) =>
    void waiting.push((on) => (on as Record<string, (...values: unknown[]) => unknown>)[name]!(...args))
  return new Proxy(nothing(), {
    ...forwarding(real),
    get: (_, name) =>
      !made && calls.includes(String(name))
        ? (...args: unknown[]) => later(String(name), args)
        : (Reflect.get(real(), name) as unknown),
  })
}

/** A bound function can be called and constructed, and has no properties that a stand-in would have to show. */
const nothing = () => function () {}.bind(undefined)

const forwarding = (real: () => object): ProxyHandler<() => void> => ({
  get: (_, name) => Reflect.get(real(), name) as unknown,
  set: (_, name, value) => Reflect.set(real(), name, value),
  has: (_, name) => Reflect.has(real(), name),
  deleteProperty: (_, name) => Reflect.deleteProperty(real(), name),
  ownKeys: () => Reflect.ownKeys(real()),
  getOwnPropertyDescriptor(_, name) {
    const found = Reflect.getOwnPropertyDescriptor(real(), name)
    // A stand-in may not call unchangeable what its target does not have.
    return found && { ...found, configurable: true }
  },
  getPrototypeOf: () => Reflect.getPrototypeOf(real()),
  apply: (_, self, args) => Reflect.apply(real() as () => unknown, self, args) as unknown,
})
