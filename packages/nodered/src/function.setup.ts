import { Script } from 'node:vm'

/** Node-RED's name for the setup code of a function, before the id of its node. */
const setup = 'Function node setup:'

interface FunctionContext {
  __node__?: { id?: unknown }
}

/**
 * Calls back with the id of a running function whose setup code has failed, before Node-RED reports its error. Such a
 * function drops its messages. The error alone does not tell: setup code that goes on may report one too.
 */
export function watchSetups(onFailed: (id: string) => void): void {
  const run = Script.prototype.runInContext
  Script.prototype.runInContext = function (context, options) {
    // Functions also run like this for each message, but without a file name.
    const isSetup = typeof options === 'object' && options.filename?.startsWith(setup) === true
    if (!isSetup) return run.call(this, context, options) as unknown
    const failed = () => {
      const { __node__: node } = context as FunctionContext
      if (typeof node?.id === 'string') onFailed(node.id)
    }
    try {
      const result: unknown = run.call(this, context, options)
      void (result as Partial<Promise<unknown>> | undefined)?.then?.(undefined, failed)
      return result
    } catch (error) {
      failed()
      throw error
    }
  }
}
