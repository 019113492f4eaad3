import * as z from 'zod'
import { isAddress } from './config.values.ts'

/** Documentation of a setting, beside its schema, as Markdown. `expected` completes the sentence "it must be …". */
export type SettingDoc = {
  about: string
  expected: string
  fallback?: string
  example: string
  secret?: true
  file?: true
}

/** The documentation of every setting, by its schema. */
export const docs = z.registry<SettingDoc>()

/** A setting that has a value without being given. */
export function always<T extends z.ZodType<unknown, string>>(type: T, doc: SettingDoc & { fallback: z.input<T> }) {
  const setting = z.prefault(type, doc.fallback)
  docs.add(setting, { ...doc, fallback: doc.fallback === '' ? 'none' : `\`${doc.fallback}\`` })
  return setting
}

/** A setting that may be left out. Its `fallback` says what then takes its place. */
export function optionally<T extends z.ZodType<unknown, string>>(type: T, doc: SettingDoc) {
  const setting = z.optional(type)
  docs.add(setting, doc)
  return setting
}

/** A setting that is the address of a page. */
export const webAddress = (about: string, example: string) =>
  optionally(z.string().refine(isAddress), { about, expected: 'an http:// or https:// address', example })
