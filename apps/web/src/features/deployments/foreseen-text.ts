import type { Foreseen } from '@app/contract'

/** The names that a yes to a problem covers, and whether its sentence only counts some of them. */
export function namesOf({ sentence, codes = [], types = [] }: Foreseen): { all: string[]; counted: boolean } {
  const named = codes.filter((code) => /^(?:type|module):/.test(code)).map((code) => code.slice(code.indexOf(':') + 1))
  const all = [...new Set([...types, ...named])]
  return { all, counted: /\b\d+ more\b/.test(sentence) }
}

/** Says what a person accepts by going on. */
export const yesText = (reasons: number): string =>
  `By continuing you accept ${reasons === 1 ? 'the reason' : `the ${reasons} reasons`} above. If the flows do not run for another reason, the previous version is restored.`
