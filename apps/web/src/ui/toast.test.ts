import { expect, test } from 'vitest'
import { toast, toasts } from './toast.ts'
import { clearToastsBeforeEach } from './testing/toasts.ts'

clearToastsBeforeEach()

test('[SHELL-30] a toast closes after 3000 ms unless it says otherwise', () => {
  toast.success('Saved.')
  toast.warning('Slow.', { countdown: 7500, detail: 'The server is busy.' })
  expect(toasts.current().map(({ kind, countdown }) => [kind, countdown])).toEqual([
    ['success', 3000],
    ['warning', 7500],
  ])
})

test('[CONST-08] a failure is told for 7.5 s with what the server said, on either line, and for 3 s without', () => {
  toast.warning('Failed to assign the device.', { detail: 'It is gone' })
  toast.warning('Failed to delete token: Not now')
  toast.warning('Failed to import flows.')
  expect(toasts.current().map(({ message, countdown }) => [message, countdown])).toEqual([
    ['Failed to assign the device.', 7500],
    ['Failed to delete token: Not now', 7500],
    ['Failed to import flows.', 3000],
  ])
})

test('at most five stand at once; the oldest goes', () => {
  for (let i = 1; i <= 7; i++) toast.info(`${i}`)
  expect(toasts.current().map((entry) => entry.message)).toEqual(['3', '4', '5', '6', '7'])
})

test('a warning that says what failed takes the place of the one that it repeats, and stands as long', () => {
  toast.warning('It broke', { detail: 'disk_full', countdown: 7500 })
  toast.warning('Flows were not restored.', { detail: 'It broke' })
  toast.warning('Slow', { detail: 'busy', countdown: 7500 })
  toast.warning('Unable to create a link: Slow')
  toast.success('It broke')
  expect(toasts.current().map(({ message, detail, countdown }) => [message, detail, countdown])).toEqual([
    ['Flows were not restored.', 'It broke (disk_full)', 7500],
    ['Unable to create a link: Slow', 'busy', 7500],
    ['It broke', undefined, 3000],
  ])
})

test('the same warning once more is one, with its last detail', () => {
  toast.warning('Failed to import flows.', { detail: 'The secret is wrong' })
  toast.warning('Failed to import flows.', { detail: 'At most 1,000 characters' })
  expect(toasts.current()).toMatchObject([{ detail: 'At most 1,000 characters' }])
  toast.warning('It broke', { detail: 'disk_full', countdown: 7500 })
  toast.warning('Failed to import flows.', { detail: 'It broke' })
  expect(toasts.current()).toMatchObject([{ detail: 'It broke (disk_full)', countdown: 7500 }])
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
