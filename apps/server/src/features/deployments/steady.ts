import { type Driver, DriverError } from '@app/drivers'

/** Resolves when an instance has run on for this long; that it ends, or stops answering, is a DriverError. */
export async function steady(driver: Driver, id: string, ms: number): Promise<void> {
  const wait = Promise.withResolvers<void>()
  // It may end while the status is being asked for, when nobody waits for this yet.
  wait.promise.catch(() => undefined)
  const judge = ({ state, reason }: Awaited<ReturnType<Driver['status']>>) => {
    if (state !== 'running') wait.reject(new DriverError('not_steady', reason ?? `Node-RED is ${state} again`))
  }
  const unwatch = driver.watch((changed, status) => {
    if (changed === id) judge(status)
  })
  const timer = setTimeout(() => wait.resolve(), ms)
  try {
    judge(await driver.status(id))
    await wait.promise
  } finally {
    unwatch()
    clearTimeout(timer)
  }
}
