import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type AgentWorld, openAgentWorld } from '../../apps/server/testing/agent.world.ts'
import { until } from '../../apps/server/testing/index.ts'
import { labelled } from '../../apps/server/testing/real.platform.ts'
import { root } from '../build/built.ts'
import { freePort } from '../test/free-port.ts'
import { baseOf, docker } from './container.engine.ts'
import { makeAgentPackage } from './package.agent.ts'

/** On a machine that is busy with something else. */
const patience = 600_000
const image = 'flowforge-agent-tested'
const name = `flowforge-agent-${process.pid}`
let world: AgentWorld

beforeAll(async () => {
  await makeAgentPackage()
  const base = `BASE=${baseOf().node}`
  docker('build', '--file', `${root}/apps/agent/Dockerfile`, '--build-arg', base, '--tag', image, root)
  world = await openAgentWorld()
}, patience)
afterAll(async () => {
  await world.close()
  docker('image', 'rm', '--force', image)
})

test('the image of the agent runs a device as an ordinary user, and finds it again in its volume', {
  timeout: patience,
}, async () => {
  const port = await freePort()
  const device = await world.addDevice()
  await world.target('First', labelled('first').slice(0, 4))
  const remove = () => docker('rm', '--force', name)
  onTestFinished(() => {
    remove()
    docker('volume', 'rm', '--force', name)
  })
  // The server of the test listens on this machine alone.
  const options = ['--network', 'host', '--volume', `${name}:/data`]
  const settings = `printf 'port: ${port}\\ninterval: 0.2\\n' >device.yml`
  docker('run', '--rm', ...options, '--entrypoint', '/bin/sh', image, '-c', settings)
  const { baseUrl } = world.server.config
  const start = () =>
    docker('run', '--detach', '--init', '--name', name, ...options, image, '--otc', device.otc, '--forge-url', baseUrl)
  const answers = async (text: string) =>
    until(
      async () =>
        fetch(`http://127.0.0.1:${port}/word`).then(
          async (found) => found.text(),
          () => '',
        ),
      (found) => found === text,
      patience / 4,
    )
  start()
  await until(device.read, ({ status }) => status === 'running', patience / 4)
  await answers('first')
  expect(docker('exec', name, 'id', '-u').trim()).toBe('1000')
  expect((await device.read()).agentUpdate.updater).toBe('image')

  // The code is used, and the device is in the volume.
  docker('stop', '-t', '30', name)
  expect(docker('inspect', '--format', '{{.State.ExitCode}}', name).trim()).toBe('0')
  docker('start', name)
  await answers('first')
  remove()
  start()
  await answers('first')
  await world.target('Second', labelled('second').slice(0, 4))
  await answers('second')
})
