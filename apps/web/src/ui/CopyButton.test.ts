import { afterEach, expect, test, vi } from 'vitest'
import { copyText } from './CopyButton.tsx'
import { toasts } from './toast.ts'
import { clearToastsBeforeEach } from './testing/toasts.ts'

afterEach(() => void vi.unstubAllGlobals())
clearToastsBeforeEach()

test('[ERR-01] what is copied is told, and so is a clipboard that may not be written', async () => {
  const writeText = vi.fn<(text: string) => Promise<void>>().mockResolvedValueOnce()
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  expect(await copyText('1k7ug5a5')).toBe(true)
  expect(writeText).toHaveBeenCalledWith('1k7ug5a5')
  writeText.mockRejectedValueOnce(new Error('NotAllowedError'))
  expect(await copyText('1k7ug5a5')).toBe(false)
  expect(toasts.current().map(({ kind, message }) => [kind, message])).toEqual([
    ['success', 'Copied to Clipboard.'],
    ['warning', 'Clipboard write permission denied.'],
  ])
})
