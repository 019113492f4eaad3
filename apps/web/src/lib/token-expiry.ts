import type { Option } from '../ui/option.ts'

const day = 86_400_000

/** Lifetimes of a token, in days. */
export const expiries: Option[] = [
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
]

/** The moment a choice means, as it is sent; null for never. */
export function expiryAfter(choice: string, now: number): string | null {
  return choice === 'never' ? null : new Date(now + Number(choice) * day).toISOString()
}
