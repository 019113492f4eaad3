import { containersFor, docker, ensureImage } from '@app/drivers/testing/docker'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { openDriver } from '../src/drivers.ts'
import { startServer, until } from './index.ts'
import { labelled, openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * A whole platform whose instances run in containers of a real engine. Where none answers, `npm test` leaves the step out.
 */
let platform: RealPlatform
beforeAll(async () => {
  ensureImage()
  const { socket, image, network } = containersFor('')
  platform = await openRealPlatform({
    // Containers do not run as root, as this server does.
    instanceUsers: { first: 200_000, last: 265_535 },
    containers: { ...readConfig({}).containers!, drivers: ['docker', 'local'], socket, image, network },
  })
})
afterAll(() => platform.sweep())

const containersOf = ({ id }: { id: string }) =>
  docker('ps', '--quiet', '--filter', `name=${id}`).split('\n').length - 1

test('an instance in a container is made, deployed beside what serves, suspended, started and deleted', {
  timeout: 300_000,
}, async () => {
  const one = await platform.make('5.0.7')
  expect(containersOf(one)).toBe(1)
  expect(await platform.importTo(one, labelled('first'))).toMatchObject({ state: 'done' })
  expect(await platform.visit(one.name, '/word')).toMatchObject({ status: 200, text: 'first' })
  await platform.raw('PUT', `/${one.id}`, { takeover: 'beside' })
  expect(await platform.importTo(one, labelled('second'))).toMatchObject({ state: 'done' })
  expect(await platform.visit(one.name, '/word')).toMatchObject({ text: 'second' })
  expect(containersOf(one)).toBe(1)

  await platform.act('suspend', one.id)
  await platform.inState(one.id, 'suspended')
  expect(containersOf(one)).toBe(0)
  await platform.act('start', one.id)
  await platform.inState(one.id, 'running')
  expect(await platform.visit(one.name, '/word')).toMatchObject({ text: 'second' })
  await platform.raw('DELETE', `/${one.id}`)
  await until(
    async () => containersOf(one),
    (count) => count === 0,
  )
})

test('a type of instances names another driver, and its instances move with their next start', {
  timeout: 300_000,
}, async () => {
  const admin = await platform.server.build.user({ admin: true })
  expect(await admin.client.call('settings.get')).toMatchObject({ 'driver:offers': ['docker', 'local'] })
  const one = await platform.make('5.0.7')
  await platform.importTo(one, labelled('rye'))
  const params = { instanceTypeId: (await platform.choiceOf('5.0.7')).projectType }
  for (const [driver, count] of [
    ['local', 0],
    [null, 1],
  ] as const) {
    await admin.client.call('instanceType.update', { params, body: { driver } })
    await platform.act('restart', one.id)
    await platform.inState(one.id, 'running')
    expect(containersOf(one)).toBe(count)
    expect(await platform.visit(one.name, '/word')).toMatchObject({ text: 'rye' })
  }
})

test('a server that starts again finds the container, which has gone on', { timeout: 300_000 }, async () => {
  const one = await platform.make('5.0.7')
  await platform.importTo(one, labelled('bread'))
  const before = docker('ps', '--quiet', '--filter', `name=${one.id}`)
  const { config } = platform.server
  await platform.server.stop()
  const next = await startServer({ config, driver: openDriver })
  try {
    const own = next.driver
    await until(
      async () => (await own.status(one.id)).state,
      (state) => state === 'running',
    )
    expect(docker('ps', '--quiet', '--filter', `name=${one.id}`)).toBe(before)
  } finally {
    await next.stop()
  }
})
