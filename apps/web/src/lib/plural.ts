/** '1 Event', '2 Events', '1,204 instances': the number in the reader's locale, then the word it needs. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}
