import { expect, test } from 'vitest'
import { agentLines, isLocalAddress } from './agent-lines.ts'

test('every line carries the code with the address of the platform, or the file', () => {
  const lines = agentLines({ deviceId: '1k', code: 'ffotc_x', address: 'https://forge.example.com' })
  const byCode = 'flowfuse-device-agent --otc ffotc_x --ff-url https://forge.example.com'
  const needs = (text: string) => lines.filter(({ commands }) => commands.includes(text)).map(({ id }) => id)
  expect([needs(byCode), needs('device-1k.yml')]).toEqual([
    ['linux', 'windows'],
    ['docker', 'nodered'],
  ])
})

test.each([
  ['http://localhost:3000', true],
  ['http://forge.localhost', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['https://forge.example.com', false],
  ['http://192.168.1.4:3000', false],
  ['https://127.example.com', false],
])('%s means this machine: %s', (address, local) => expect(isLocalAddress(address)).toBe(local))
