/** The platform counts what a search finds up to here. */
const most = 10_000
const number = new Intl.NumberFormat()

/** Count for the end of a search box. */
export const countNote = (count: number | undefined): string | undefined =>
  count === undefined ? undefined : `${number.format(count)}${count === most ? '+' : ''}`
