import { expect, test } from 'vitest'
import { openServer, testClock } from '../../../testing/index.ts'

const day = 24 * 3_600_000
const clock = testClock()
const server = await openServer({ clock })

async function shown(expiresIn: number) {
  await server.build.setting('license', { type: 'EE', expiresAt: clock.now() + expiresIn })
  return (await server.build.anonymous.call('settings.get')).license
}

test.each([
  [31 * day, { expiring: false, expired: false, daysRemaining: 31 }],
  [31 * day - 1, { expiring: true, expired: false, daysRemaining: 30 }],
  [29 * day, { expiring: true, expired: false, daysRemaining: 29 }],
  [2 * day - 1, { expiring: true, expired: false, daysRemaining: 1 }],
  [1, { expiring: true, expired: false, daysRemaining: 0 }],
  [0, { expiring: false, expired: true, daysRemaining: 0 }],
  [-40 * day, { expiring: false, expired: true, daysRemaining: 0 }],
])('[LICB-05] [LICB-07] a licence that ends in %i ms', async (expiresIn, expected) => {
  expect(await shown(expiresIn)).toEqual({
    type: 'EE',
    expiresAt: new Date(clock.now() + expiresIn).toISOString(),
    PRE_EXPIRE_WARNING_DAYS: 30,
    ...expected,
  })
})

test('[LICB-07] without a licence nothing ever expires', async () => {
  await server.build.setting('license', null)
  expect((await server.build.anonymous.call('settings.get')).license).toMatchObject({
    type: 'CE',
    expiresAt: new Date(clock.now() + 365 * day).toISOString(),
    expiring: false,
    expired: false,
    daysRemaining: 365,
  })
})

test('[LICB-07] the features of an expired licence keep working', async () => {
  const features = async (expiresIn: number) => {
    await shown(expiresIn)
    return (await server.build.anonymous.call('settings.get')).features
  }
  expect(await features(-1)).toEqual(await features(day))
})
