/** The server behind the names of instances, as a browser sees it: this platform, something else, or nobody. */
export type NamesFound = 'here' | 'elsewhere' | 'nowhere'

const waitMs = 10_000

/**
 * Asks for an instance that nobody made, as the browser would for one that somebody did. Only this platform lets the
 * page read its answer. `addresses` is a pattern with `*` for the name.
 */
export async function tryNames(addresses: string): Promise<NamesFound> {
  const address = `${addresses.replace('*', `names-${crypto.getRandomValues(new Uint32Array(1))[0]}`)}/`
  const ask = (more: RequestInit) =>
    fetch(address, {
      headers: { accept: 'application/json' },
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(waitMs),
      ...more,
    })
  try {
    const { code } = (await (await ask({})).json()) as { code?: string }
    return code === 'not_found' ? 'here' : 'elsewhere'
  } catch {
    // The answer of a stranger cannot be read, but it can be seen that there is one.
    return ask({ mode: 'no-cors' }).then(
      () => 'elsewhere' as const,
      () => 'nowhere' as const,
    )
  }
}
