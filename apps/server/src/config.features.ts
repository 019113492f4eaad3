/** Parts of the product that an operator may switch off (SHELL-42). */
export const features = ['shared-library', 'devops-pipelines', 'ha', 'devices'] as const
export type Feature = (typeof features)[number]
export type FeatureFlags = Record<Feature, boolean>

const listed = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Does a text list features only, with commas between them? */
export const isFeatureList = (text: string): boolean =>
  listed(text).every((name) => (features as readonly string[]).includes(name))

/** Every feature, on unless the text lists it. */
export function featureFlags(off: string): FeatureFlags {
  const names = listed(off)
  return Object.fromEntries(features.map((name) => [name, !names.includes(name)])) as FeatureFlags
}
