import { Script } from 'node:vm'

/** Node-RED's name for the setup code of a function, before the id of its node. */
const setup = 'Function node setup:'

interface FunctionContext {
  __node__?: { id?: unknown; path?: unknown }
}

interface SetupWatch {
  /** Setup code of a function has begun, which handles no message until then. Returns what is called when it has ended. */
  begun(id: string, path: unknown): () => void
  /**
   * It has failed, and Node-RED has not reported its error yet. Such a function drops its messages. The error alone does
   * not tell: setup code that goes on may report one too.
   */
  failed(id: string): unknown
}

/** Watches the setup code of functions. `id` is that of the running function. */
export function watchSetups({ begun, failed }: SetupWatch): void {
  const run = Script.prototype.runInContext
  Script.prototype.runInContext = function (context, options) {
    // Functions also run like this for each message, but without a file name.
    const isSetup = typeof options === 'object' && options.filename?.startsWith(setup) === true
    const { id, path } = (isSetup && (context as FunctionContext).__node__) || {}
    if (typeof id !== 'string') return run.call(this, context, options) as unknown
    const ended = begun(id, path)
    const fails = () => {
      ended()
      failed(id)
    }
    try {
      const result = run.call(this, context, options) as Promise<unknown>
      result.then(ended, fails)
      return result
    } catch (error) {
      fails()
      throw error
    }
  }
}
