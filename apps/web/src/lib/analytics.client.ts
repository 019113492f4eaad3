import * as z from 'zod/mini'

/** A client of PostHog: what the console needs of it, and nothing that watches the page by itself. */
export interface AnalyticsClient {
  /** From here on everything is of this person; what they did before as nobody goes along. */
  identify(id: string, properties: Record<string, string>): void
  /** Nobody is there from here on. */
  forget(): void
  capture(event: string, properties: Record<string, unknown>): void
  /** The flags that are on for this person, with their payloads. */
  flags(): Promise<Map<string, unknown>>
}

const Flag = z.object({ enabled: z.boolean(), metadata: z.optional(z.object({ payload: z.optional(z.unknown()) })) })
const Flags = z.union([
  z.object({ flags: z.record(z.string(), Flag) }),
  // Servers from before 2025.
  z.object({
    featureFlags: z.record(z.string(), z.union([z.boolean(), z.string()])),
    featureFlagPayloads: z.optional(z.record(z.string(), z.unknown())),
  }),
])

/** The flags of an answer that are on. */
export function flagsIn(answer: unknown): Map<string, unknown> {
  const { data } = Flags.safeParse(answer)
  if (!data) return new Map()
  if ('flags' in data)
    return new Map(
      Object.entries(data.flags).flatMap(([name, { enabled, metadata }]) =>
        enabled ? [[name, metadata?.payload] as const] : [],
      ),
    )
  const { featureFlags, featureFlagPayloads = {} } = data
  return new Map(
    Object.entries(featureFlags).flatMap(([name, on]) => (on === false ? [] : [[name, featureFlagPayloads[name]]])),
  )
}

/** An ID for who is not signed in. Pages over plain HTTP have no `crypto.randomUUID`, so it is made of random bytes. */
const nobody = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** A client that sends to this server. Nothing is kept in the browser: who is not signed in is somebody else each time. */
export function createAnalytics({ key, url }: { key: string; url: string }): AnalyticsClient {
  let who = nobody()
  let isKnown = false
  const post = async (path: string, body: Record<string, unknown>): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      credentials: 'omit',
      headers: { 'content-type': 'application/json' },
      // The request outlives the page, which what was done may have left.
      keepalive: true,
      body: JSON.stringify({ api_key: key, distinct_id: who, ...body }),
    })
  // An analytics server that is away, or that an extension of the browser shuts out, is no fault of the console.
  const send = (event: string, properties: Record<string, unknown>): void =>
    void post('/capture/', { event, properties, timestamp: new Date().toISOString() }).catch(() => undefined)

  return {
    identify(id, properties) {
      if (who === id && Object.keys(properties).length === 0) return
      const former = isKnown ? {} : { $anon_distinct_id: who }
      ;[who, isKnown] = [id, true]
      send('$identify', { ...former, $set: properties })
    },
    forget() {
      if (isKnown) [who, isKnown] = [nobody(), false]
    },
    capture: send,
    async flags() {
      const answer = await post('/flags/?v=2', {})
      return answer.ok ? flagsIn(await answer.json()) : new Map()
    },
  }
}
