/** The pause between two check-ins, which ends early when there is something to do. */
export function createRest() {
  let isWoken = false
  let end = () => {}

  return {
    /** Ends the pause; one that has not begun yet does not begin. */
    wake(): void {
      isWoken = true
      end()
    },
    /** Resolves after `ms`, when woken, or when `signal` is aborted. */
    async rest(ms: number, signal: AbortSignal): Promise<void> {
      if (!isWoken && !signal.aborted)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', end, { once: true })
        })
      signal.removeEventListener('abort', end)
      isWoken = false
    },
  }
}
