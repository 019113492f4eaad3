/** A number with its noun. @returns such as "1 file" and "2 files". */
export const counted = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`
