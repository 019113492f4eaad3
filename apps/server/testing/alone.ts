import { createStubDriver } from '@app/drivers/stub'

/** The stub as a driver that runs one process of an instance only, so that what is new takes the place of what has ended. */
export function createStubAlone(): ReturnType<typeof createStubDriver> {
  const { pair: _pair, ...driver } = createStubDriver()
  return driver
}
