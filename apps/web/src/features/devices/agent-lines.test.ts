import { expect, test } from 'vitest'
import { agentLines, isLocalAddress } from './agent-lines.ts'
import { provisioningFile } from './credentials-file.ts'

test('every line carries the code with the address of the platform, or the file', () => {
  const lines = agentLines({ deviceId: '1k', code: 'ffotc_x', address: 'https://forge.example.com' })
  const own = 'curl -fsSL https://forge.example.com/agent/install.sh | sudo sh -s -- --otc ffotc_x'
  const byCode = 'flowfuse-device-agent --otc ffotc_x --ff-url https://forge.example.com'
  const needs = (text: string) => lines.filter(({ commands }) => commands.includes(text)).map(({ id }) => id)
  expect([needs(own), needs(byCode), needs('device-1k.yml')]).toEqual([['linux'], ['windows'], ['nodered']])
  expect(needs('--otc ffotc_x --forge-url https://forge.example.com')).toEqual(['docker'])
})

test('an ordinary user may write to the folder of the agent, where it has one by default', () => {
  const lines = agentLines({ deviceId: '1k', code: 'ffotc_x', address: 'https://forge.example.com' })
  const folder = 'sudo mkdir -p /opt/flowfuse-device && sudo chown -R $USER /opt/flowfuse-device'
  const second = lines.filter(({ commands }) => commands.split('\n')[1] === folder).map(({ id }) => id)
  expect(second).toEqual(['nodered'])
})

test.each(['- Line', 'null', '123', 'a: b # c', 'say "hi"'])('the name %s stays a text in the file', (name) => {
  const of = { name, teamId: 't1', token: 'ffadp_x', address: 'https://forge.example.com' }
  expect(provisioningFile(of).split('\n')[0]).toBe(`provisioningName: ${JSON.stringify(name)}`)
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
