const endings: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

/** '1st', '2nd', '3rd', '11th'. */
export const ordinal = (n: number): string => `${n}${endings[ordinals.select(n)] ?? 'th'}`

/** '1 Event', '2 Events', '1,204 instances': the number in the reader's locale, then the word it needs. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}
