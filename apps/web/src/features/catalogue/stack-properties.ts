import type { StackProperty } from '@app/contract'

export type StackFields = Record<string, StackProperty>

/** Returns the errors by property: each must match its pattern, and is not empty unless that allows it [ASTACK-13]. */
export function propertyFaults(fields: StackFields, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, { validate, invalidMessage }]) =>
      new RegExp(validate).test(values[key] ?? '') ? [] : [[key, invalidMessage ?? 'Invalid']],
    ),
  )
}

/** Properties as texts for a form. */
export const propertyTexts = (fields: StackFields, properties: object): Record<string, string> => {
  const known = properties as Record<string, string | number | undefined>
  return Object.fromEntries(Object.keys(fields).map((key) => [key, String(known[key] ?? '')]))
}

/** A property as a table shows it, with its unit behind the value: 'Memory in MB' and '256' are 'Memory' and '256 MB'. */
export function shownProperty(label: string, value: string): [name: string, value: string] {
  const [, name, unit] = /^(.+) in (\S+)$/.exec(label) ?? []
  return name && unit ? [name, `${value} ${unit}`] : [label, value]
}
