import { expect, test, vi } from 'vitest'
import { api, NetworkError } from './api.ts'

test('[API-02] a call of the console is given up after 30 seconds', async () => {
  const wait = vi.spyOn(AbortSignal, 'timeout')
  // There is no page here whose platform it could call.
  await expect(api.call('settings.get')).rejects.toBeInstanceOf(NetworkError)
  expect(wait.mock.calls).toEqual([[30_000]])
  wait.mockRestore()
})
