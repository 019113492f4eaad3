import { expect, test } from 'vitest'
import { formatShare, formatSize } from './sizes.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1400, '1.4 kB'],
  [250_000_000, '250 MB'],
  [3_210_000_000, '3.2 GB'],
])('%i bytes are %s', (bytes, text) => expect(formatSize(bytes)).toBe(text))

test.each([
  [0, '0 %'],
  [0.0007, '0.1 %'],
  [0.034, '3.4 %'],
  [0.5, '50 %'],
])('a share of %d is %s', (share, text) => expect(formatShare(share)).toBe(text))
