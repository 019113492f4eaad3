import { beforeEach, expect, test } from 'vitest'
import { toast, toasts } from './toast.ts'

beforeEach(() => {
  for (const { id } of toasts.current()) toasts.dismiss(id)
})

test('[SHELL-30] a toast closes after 3000 ms unless it says otherwise', () => {
  toast.success('Saved.')
  toast.warning('Slow.', { countdown: 7500, detail: 'The server is busy.' })
  expect(toasts.current().map(({ kind, countdown }) => [kind, countdown])).toEqual([
    ['success', 3000],
    ['warning', 7500],
  ])
})

test('at most five stand at once; the oldest goes', () => {
  for (let i = 1; i <= 7; i++) toast.info(`${i}`)
  expect(toasts.current().map((entry) => entry.message)).toEqual(['3', '4', '5', '6', '7'])
})

test('dismissing takes away the one meant and tells who listens', () => {
  let told = 0
  toast.info('a')
  toast.info('b')
  const stop = toasts.subscribe(() => told++)
  toasts.dismiss(toasts.current()[0]?.id ?? 0)
  stop()
  expect(toasts.current().map((entry) => entry.message)).toEqual(['b'])
  expect(told).toBe(1)
})
