import { createHook } from 'node:async_hooks'

/**
 * How often argon2 runs in this process while something is done. What tells by its time who is known is work that is
 * done for some and not for others; counted, it tells the same on a machine that is busy.
 */
export async function hashesOf(act: () => Promise<unknown>): Promise<number> {
  let hashes = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') hashes += 1
    },
  }).enable()
  try {
    await act()
  } finally {
    hook.disable()
  }
  return hashes
}
