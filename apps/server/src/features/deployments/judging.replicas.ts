import { type Driver, DriverError, type Pair, type Slot, slots } from '@app/drivers'
import { memberOf, type Passes, serving } from '@app/drivers/judging'
import type { WholeInstance } from '../instances/index.ts'

export type Replica = 'first' | 'second'

/** Judges one of two processes. What it throws names the process, by its place in the order and as the log does. */
export async function named(
  { pair, id, slot, replica }: { pair: Pair; id: string; slot: Slot; replica: Replica },
  judge: () => Promise<void>,
): Promise<void> {
  try {
    await judge()
  } catch (error) {
    if (!(error instanceof DriverError)) throw error
    const src = (await pair.members(id)).find((one) => one.slot === slot)?.src
    error.message = `The ${replica} replica${src === undefined ? '' : ` (${src})`} did not pass: ${error.message}`
    throw error
  }
}

/** Judges an instance that was started as a whole: of two processes both, at once, since one alone may fail. */
export async function passAll(
  driver: Driver,
  { id, replicas }: Pick<WholeInstance, 'id' | 'replicas'>,
  passes: Passes,
): Promise<void> {
  const { pair } = driver
  if (replicas === null || !pair) return passes(serving(driver, id))
  await Promise.all(
    slots.map(async (slot) => {
      const member = slot === 0 ? 'first' : 'second'
      await named({ pair, id, slot, replica: member }, () => passes(memberOf(pair, id, slot), { member }))
    }),
  )
}
