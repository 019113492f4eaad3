import { createHook } from 'node:async_hooks'

/** Whether hashes take as long as they do in the product; in these tests they do not, unless one is about it. */
export const hashing = { isSlow: false, isTrue: false }

/** Hashes are those of the product while something is done: for what a product has stored or encrypted. */
export async function withTrueHashes<T>(act: () => Promise<T>): Promise<T> {
  hashing.isTrue = true
  try {
    return await act()
  } finally {
    hashing.isTrue = false
  }
}

/** Hashes take as long as they do in the product while something is done. */
export async function withSlowHashes(act: () => Promise<void>): Promise<void> {
  hashing.isSlow = true
  try {
    await act()
  } finally {
    hashing.isSlow = false
  }
}

/**
 * Number of times argon2 runs in this process while something is done. What tells by its time who is known is work that
 * is done for some and not for others; counted, it tells the same on a machine that is busy.
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
