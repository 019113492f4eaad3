import type { NodeRedUtil } from '../stack.ts'
import type { PersistentContext } from './context.database.ts'

type Callback = (error?: unknown, ...values: unknown[]) => void

/** The store `persistent` that flows choose, as Node-RED wants one: with a callback, or at once without. */
export function contextStore(context: PersistentContext, util: NodeRedUtil) {
  /** An object with the value of the key to which this path leads, if there is one. */
  function holderOf(scope: string, path: string): { key: string; holder: Record<string, unknown> } {
    const key = String(util.normalisePropertyExpression(path)[0])
    const text = context.read(scope, key)
    return { key, holder: text === undefined ? {} : { [key]: JSON.parse(text) as unknown } }
  }

  function getOne(scope: string, path: string): unknown {
    const { holder } = holderOf(scope, path)
    try {
      return util.getObjectProperty(holder, path)
    } catch (error) {
      if ((error as { code?: string }).code === 'INVALID_EXPR') throw error
      // It leads through something that is not there.
      return undefined
    }
  }

  function setAll(scope: string, paths: string | string[], value: unknown): void {
    const list = [paths].flat()
    const values = Array.isArray(paths) && Array.isArray(value) ? (value as unknown[]) : [value]
    context.write(scope, () => {
      const holders = new Map<string, Record<string, unknown>>()
      for (const [at, path] of list.entries()) {
        const found = holderOf(scope, path)
        const holder = holders.get(found.key) ?? found.holder
        holders.set(found.key, holder)
        util.setObjectProperty(holder, path, at < values.length ? values[at] : null)
      }
      return [...holders].map(([key, holder]) => ({ key, value: asJson(key, holder[key]) }))
    })
  }

  return () => ({
    async open() {
      context.dropCopies()
    },
    async close() {
      context.close()
    },
    get(scope: string, key: string | string[], callback?: Callback): unknown {
      return answer(callback, Array.isArray(key), () =>
        Array.isArray(key) ? key.map((one) => getOne(scope, one)) : getOne(scope, key),
      )
    },
    set(scope: string, key: string | string[], value: unknown, callback?: Callback): void {
      answer(callback, false, () => setAll(scope, key, value))
    },
    keys(scope: string, callback?: Callback): unknown {
      return answer(callback, false, () => context.keys(scope))
    },
    async delete(scope: string) {
      context.delete({ scope })
    },
    async clean(activeNodes: string[]) {
      context.clean(activeNodes)
    },
  })
}

/** With a callback, a failure is its first argument; without, it is thrown. */
function answer(callback: Callback | undefined, spread: boolean, work: () => unknown): unknown {
  if (!callback) return work()
  let value: unknown
  try {
    value = work()
  } catch (error) {
    return callback(error)
  }
  return spread ? callback(undefined, ...(value as unknown[])) : callback(undefined, value)
}

function asJson(key: string, value: unknown): string | undefined {
  if (value === undefined) return undefined
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw new Error(`The value of "${key}" cannot be stored as JSON: ${(error as Error).message}`, { cause: error })
  }
  if (text === undefined) throw new Error(`The value of "${key}" cannot be stored as JSON`)
  return text
}
