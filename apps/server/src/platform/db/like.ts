/**
 * The pattern of `like` for texts that contain this one, in any case; the column holds them in lower case. Characters
 * that mean something in a pattern count as spaces, so a text with one of them does not find names that have it too.
 */
export const containing = (text: string) => `%${text.toLowerCase().replace(/[%_\\]/g, ' ')}%`
