export type Work = ReturnType<typeof createWork>

/** The changes of what runs, one after the other. */
export function createWork() {
  let last: Promise<unknown> = Promise.resolve()
  let count = 0

  return {
    isBusy: (): boolean => count > 0,
    /** Runs the task once those before it have ended. */
    run<T>(task: () => Promise<T>): Promise<T> {
      count += 1
      const done = last.then(task).finally(() => (count -= 1))
      last = done.catch(() => undefined)
      return done
    },
  }
}
