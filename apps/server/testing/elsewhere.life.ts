import { expect } from 'vitest'
import { openDriver } from '../src/drivers.ts'
import { startServer, until } from './index.ts'
import { labelled, type RealPlatform } from './real.platform.ts'

/**
 * Makes an instance on other machines, deploys to it beside what serves, suspends, starts and deletes it. Then the server
 * starts again, and finds the processes of another instance. `processesOf` names the processes of an instance.
 */
export async function expectLifeElsewhere(
  platform: RealPlatform,
  processesOf: (one: { id: string }) => unknown[],
): Promise<void> {
  const one = await platform.make('5.0.7')
  expect(processesOf(one)).toHaveLength(1)
  expect(await platform.importTo(one, labelled('first'))).toMatchObject({ state: 'done' })
  expect(await platform.visit(one.name, '/word')).toMatchObject({ status: 200, text: 'first' })
  await platform.raw('PUT', `/${one.id}`, { takeover: 'beside' })
  expect(await platform.importTo(one, labelled('second'))).toMatchObject({ state: 'done' })
  expect(await platform.visit(one.name, '/word')).toMatchObject({ text: 'second' })

  await platform.act('suspend', one.id)
  await platform.inState(one.id, 'suspended')
  expect(processesOf(one)).toHaveLength(0)
  await platform.act('start', one.id)
  await platform.inState(one.id, 'running')
  const other = await platform.make('5.0.7')
  await platform.raw('DELETE', `/${one.id}`)
  await until(
    async () => processesOf(one).length,
    (count) => count === 0,
  )

  const before = processesOf(other)
  const { config } = platform.server
  await platform.server.stop()
  const next = await startServer({ config, driver: openDriver })
  try {
    await until(
      async () => (await next.driver.status(other.id)).state,
      (state) => state === 'running',
    )
    expect(processesOf(other)).toEqual(before)
  } finally {
    await next.stop()
  }
}
