import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../tools/test/free-port.ts'
import { openAgentWorld } from './agent.world.ts'
import { createAuthority } from './authority.ts'
import { embeddedBroker } from './broker.ts'
import { labelled } from './real.platform.ts'

test('an agent trusts the certificate authority in its file, for calls and for the broker, and says so where it does not', async () => {
  const authority = createAuthority()
  authority.issue(['localhost'])
  const [port, redirectPort] = [await freePort(), await freePort()]
  const tls = { source: { kind: 'files' as const, ...authority.files }, host: '127.0.0.1', port, redirectPort }
  const baseUrl = `https://localhost:${port}`
  const world = await openAgentWorld({ config: { broker: embeddedBroker, baseUrl, tls, steadySeconds: 0.5 } })
  onTestFinished(() => world.close())
  const { device, agent } = await world.machine()
  expect(device.file.brokerURL).toBe(`wss://localhost:${port}/mqtt`)
  await world.target('First', labelled('first'))
  agent.write({ forgeURL: baseUrl })
  agent.start()
  expect(await agent.said(/localhost:\d+ cannot be reached/)).toMatch(/certificate/)
  await agent.end()

  const ca = join(agent.dir, 'plant.pem')
  writeFileSync(ca, authority.ca)
  agent.write({ forgeURL: baseUrl, ca })
  agent.start()
  await agent.said(/Connected to the broker/)
  await agent.answers('first')
  await agent.end()
})
