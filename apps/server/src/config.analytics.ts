import * as z from 'zod'
import { optionally } from './config.setting.ts'
import { isOrigin } from './config.values.ts'

/** The project of a product analytics server that consoles send to. Its key is public: every browser reads it. */
export interface AnalyticsConfig {
  key: string
  /** Scheme, host and port; no slash at the end. */
  url: string
}

const key = 'the project API key of a PostHog server, without spaces'
const url = 'an address such as https://eu.i.posthog.com, without a path, a query or a password'

/** The settings of product analytics. */
export const analyticsSettings = {
  FORGE_ANALYTICS_KEY: optionally(z.string().regex(/^[\w.-]{8,200}$/), {
    about:
      'Project API key for product analytics. With it and FORGE_ANALYTICS_URL, browsers send what people do in the console to that PostHog server, with IDs and no names: see docs/analytics.md. The key is public. Without it nothing is sent.',
    expected: key,
    example: 'phc_<your project>',
  }),
  FORGE_ANALYTICS_URL: optionally(
    z
      .string()
      .refine(isOrigin)
      .transform((text) => new URL(text).origin),
    {
      about: 'PostHog server for product analytics. Needs FORGE_ANALYTICS_KEY. Browsers must be able to reach it.',
      expected: url,
      example: 'https://eu.i.posthog.com',
    },
  ),
}

interface Values {
  FORGE_ANALYTICS_KEY?: string | undefined
  FORGE_ANALYTICS_URL?: string | undefined
}

/** Product analytics, where both settings are given. */
export function analyticsOf(values: Values): { analytics?: AnalyticsConfig } {
  const { FORGE_ANALYTICS_KEY, FORGE_ANALYTICS_URL } = values
  if (!FORGE_ANALYTICS_KEY || !FORGE_ANALYTICS_URL) return {}
  return { analytics: { key: FORGE_ANALYTICS_KEY, url: FORGE_ANALYTICS_URL } }
}

/** A sentence about the setting that is missing beside the other. */
export function analyticsProblems({ FORGE_ANALYTICS_KEY, FORGE_ANALYTICS_URL }: Values): string[] {
  if (Boolean(FORGE_ANALYTICS_KEY) === Boolean(FORGE_ANALYTICS_URL)) return []
  return FORGE_ANALYTICS_KEY
    ? [`FORGE_ANALYTICS_URL is not set; it must be ${url}, because FORGE_ANALYTICS_KEY asks for product analytics.`]
    : [`FORGE_ANALYTICS_KEY is not set; it must be ${key}, because FORGE_ANALYTICS_URL asks for product analytics.`]
}
