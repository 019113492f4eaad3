const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
/** A number, a range or every number, with a step. */
const part = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/

/** The numbers that a field names; undefined for what is no list of numbers. */
function numbersOf(field: string, [first, last]: readonly [number, number]): number[] | undefined {
  const all: number[] = []
  for (const item of field.split(',')) {
    const [found, from, to, step] = part.exec(item) ?? []
    if (found === undefined) return undefined
    const begin = Number(from ?? first)
    const end = Number(to ?? (from !== undefined && step === undefined ? from : last))
    // A range may go over the end of the year.
    for (let at = begin; at <= (end < begin ? end + last : end); at += Math.max(1, Number(step ?? 1)))
      all.push(at > last ? at - last : at)
  }
  return all
}

/**
 * Is there no day at which an inject with this time sends, such as the 31st of February, or one of a year that is over?
 * False also where that cannot be told. Source: cronosjs, by which Node-RED 4.1.15 and 5.0.7 find the next time.
 */
export function neverComes(crontab: string): boolean {
  const fields = crontab.trim().toLowerCase().split(/\s+/)
  if (fields.length < 5 || fields.length > 7) return false
  const [, , , days = '*', month = '*', weekdays = '*', years = '*'] = fields.length === 5 ? ['0', ...fields] : fields
  const inYears = numbersOf(years, [1970, 2099])
  if (!years.includes('*') && !years.includes('/') && inYears?.every((year) => year < new Date().getFullYear()))
    return true
  // One of the two suffices where both are named.
  if (!/^[*?]$/.test(weekdays)) return false
  const inMonths = numbersOf(
    month.replaceAll(/[a-z]{3}/g, (name) => String(months.indexOf(name) + 1)),
    [1, 12],
  )
  const onDays = days.includes('*') ? undefined : numbersOf(days, [1, 31])
  if (!inMonths || !onDays || inMonths.length === 0 || onDays.length === 0) return false
  return Math.min(...onDays) > Math.max(...inMonths.map((one) => lengths[one - 1] ?? 31))
}
