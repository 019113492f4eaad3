import { limits } from '@app/contract/constants'
import { DeviceTags } from '@app/contract/device-tags'
import * as z from 'zod/mini'

/** The words of a text field as tags: spaces and commas part them. */
export const tagsIn = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')

/** A word as an error names it: one that is too long for a tag would fill the window. */
const quoted = (word: string) => (word.length > limits.tagMax ? `${word.slice(0, limits.tagMax)}…` : word)

/** Why these words cannot be the tags of a device; undefined: they can. */
export function faultOfTags(words: string[]): string | undefined {
  const fault = DeviceTags.safeParse(words).error?.issues[0]
  const at = fault?.path[0]
  return fault && (typeof at === 'number' ? `${quoted(words[at] ?? '')}: ${fault.message}` : fault.message)
}

/** The text of a field for tags. */
export const TagsText = z.string().check(
  z.refine((typed) => faultOfTags(tagsIn(typed)) === undefined, {
    error: ({ input }) => faultOfTags(tagsIn(String(input))) ?? '',
  }),
)
