import type { PlatformSettings } from '@app/contract'
import type { AnalyticsClient } from './analytics.client.ts'

/*
 * Product analytics is the operator's choice (settings.analytics). Where it is on, the page loads a client that sends to
 * the operator's server; where it is off there is none, and nothing here does anything.
 */

let client: Promise<AnalyticsClient | undefined> = Promise.resolve(undefined)
let started: string | undefined

/** Loads the client where the platform has product analytics; once for each project. */
export function startAnalytics({ key, url }: PlatformSettings['analytics']): void {
  const project = key && url ? `${url} ${key}` : undefined
  if (project === started) return
  started = project
  client =
    key && url
      ? import('./analytics.client.ts').then(({ createAnalytics }) => createAnalytics({ key, url }))
      : Promise.resolve(undefined)
  // A piece of the console that cannot be loaded is told of where a page needs it.
  client.catch(() => undefined)
}

const withClient = (use: (client: AnalyticsClient) => void): void =>
  void client.then((found) => found && use(found)).catch(() => undefined)

/**
 * Tells of something the server has accepted; where it happened goes along as groups [INST-78, INST-79]. Neither names
 * nor contents belong into it.
 */
export function captureUse(
  event: `$ff-${string}`,
  properties: Record<string, string>,
  groups: Partial<Record<'team' | 'application' | 'instance', string>>,
): void {
  withClient((found) => found.capture(event, { ...properties, $groups: groups }))
}

/** Tells of what was done with the invitation to a talk. */
export function captureInterview(event: 'shown' | 'dismissed' | 'book', featureFlagName: string): void {
  withClient((found) => found.capture(`$interview-popup-${event}`, { featureFlagName }))
}

/** Tells the analytics client who is there. */
export function identify({ id }: { id: string }, properties: Record<string, string>): void {
  withClient((found) => found.identify(id, properties))
}

/** Nobody is there any more. */
export function forgetPerson(): void {
  withClient((found) => found.forget())
}

/** The flags that are on for the person who was identified last, by name, each with its payload; none without a client. */
export async function analyticsFlags(): Promise<Map<string, unknown>> {
  return (await client.then((found) => found?.flags()).catch(() => undefined)) ?? new Map<string, unknown>()
}
