/*
 * Product analytics is the operator's choice (settings.analytics). Where it is on, the page holds a client of it under
 * the name that its own script gives it; where it is off there is none, and nothing here does anything.
 */

export interface AnalyticsClient {
  identify(id: string, properties: Record<string, unknown>): void
  capture(event: string, properties: Record<string, unknown>): void
  /** Calls back when the flags of this person have arrived, and again when they change. */
  onFeatureFlags(listener: (flags: string[]) => void): unknown
  getFeatureFlagPayload(flag: string): unknown
}

/** The analytics client of this page, if there is one. */
export function analytics(): AnalyticsClient | undefined {
  return (globalThis as { posthog?: AnalyticsClient }).posthog
}

/**
 * Tells of something the server has accepted; where it happened goes along as groups [INST-78, INST-79]. Neither names
 * nor contents belong into it.
 */
export function captureUse(
  event: `$ff-${string}`,
  properties: Record<string, string>,
  groups: Partial<Record<'team' | 'application' | 'instance', string>>,
): void {
  analytics()?.capture(event, { ...properties, $groups: groups })
}

/** Tells the analytics client who is there. */
export function identify(user: { id: string }, properties: Record<string, unknown>): void {
  analytics()?.identify(user.id, properties)
}
