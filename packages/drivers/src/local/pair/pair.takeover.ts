import type { Released } from '@app/contract/instance-link'
import { DriverError, type Slot } from '../../driver.ts'
import { keyOf, otherOf, slots } from '../../slots.ts'
import { askOpens, pauseFlows, releaseFlows, resumeFlows, startHeldFlows } from '../control/control.client.ts'
import type { InstanceRecord } from '../record.store.ts'
import type { createSupervisor } from '../process/supervisor.ts'

interface Paths {
  find(id: string, part: InstanceRecord['part']): Slot | undefined
  stop(id: string, slot: Slot): Promise<void>
  discard(id: string): Promise<void>
}

/**
 * Which of two processes of an instance acts. What was asked of each is in its record, so that a kill of the platform at
 * any point leaves one that acts after `complete`.
 */
export function createPairTakeover(supervisor: ReturnType<typeof createSupervisor>, { find, stop, discard }: Paths) {
  const recordIn = (id: string, slot: Slot) => supervisor.live(keyOf(id, slot))?.record

  /** @throws DriverError when no process is in this place. */
  function runningIn(id: string, slot: Slot): InstanceRecord {
    const record = recordIn(id, slot)
    const { reason = 'The process of the instance does not run' } = supervisor.known(keyOf(id, slot)) ?? {}
    if (!record) throw new DriverError('not_running', reason)
    return record
  }

  /** @throws DriverError with a sentence when what the process is asked for fails. */
  async function asked<T>(answer: Promise<T>, what: string): Promise<T> {
    return answer.catch((cause: unknown) => {
      throw new DriverError('no_answer', `${what}: ${(cause as Error).message}`, { cause })
    })
  }

  async function opens(id: string, slot: Slot) {
    const record = recordIn(id, slot)
    return record && askOpens(record).catch(() => undefined)
  }

  async function pause(id: string, slot: Slot, keep?: readonly string[]): Promise<number> {
    const record = runningIn(id, slot)
    const kept = keep ?? (await opens(id, otherOf(slot)))?.kept ?? []
    // Noted first: after a kill whoever finds it starts its flows again.
    supervisor.update(keyOf(id, slot), { paused: true })
    return asked(pauseFlows(record, kept), 'The flows that serve could not be stopped')
  }

  async function startHeld(id: string, slot = find(id, 'candidate')): Promise<void> {
    if (slot !== undefined) await asked(startHeldFlows(runningIn(id, slot)), 'The new flows could not be started')
  }

  async function release(id: string, slot: Slot, since: number): Promise<Released> {
    const record = runningIn(id, slot)
    if (!record.held) return { at: Date.now(), late: 0, dropped: 0, refused: [] }
    const released = await asked(releaseFlows(record, since), 'The new flows could not be started')
    supervisor.update(keyOf(id, slot), { held: undefined })
    return released
  }

  async function resume(id: string, slot: Slot): Promise<void> {
    const record = recordIn(id, slot)
    if (!record?.paused) return
    await asked(resumeFlows(record), 'The flows could not be started again')
    supervisor.update(keyOf(id, slot), { paused: undefined })
  }

  /** @throws DriverError when the flows before cannot be started again either. */
  async function giveBack(id: string): Promise<void> {
    const slot = find(id, 'replacing')
    // From here on it is on trial again: after a kill it is ended, and the other goes on.
    if (slot !== undefined) {
      supervisor.update(keyOf(id, slot), { part: 'candidate' })
      // So that its end does not take the subscriptions of kept sessions along. One that has crashed, or hangs, does not answer.
      if (await opens(id, slot)) await pause(id, slot).catch(() => undefined)
    }
    await discard(id)
    for (const one of slots) await resume(id, one)
  }

  /** Ends what was to take over, for the other to go on. */
  async function abandon(id: string, slot: Slot): Promise<void> {
    supervisor.update(keyOf(id, slot), { part: 'candidate' })
    await discard(id)
    await resumeAll(id)
  }

  async function resumeAll(id: string): Promise<void> {
    for (const slot of slots) await resume(id, slot).catch(() => supervisor.stop(keyOf(id, slot)))
  }

  return {
    opens,
    pause,
    startHeld,
    release,

    giveBack,

    /**
     * Does to the end what a kill has left half done. A new version that cannot act is ended, and the other acts again; one
     * that cannot even be asked is ended too, so that it is started anew instead of serving without its flows.
     */
    async complete(id: string): Promise<void> {
      const slot = find(id, 'replacing')
      if (slot === undefined) return resumeAll(id)
      const other = otherOf(slot)
      const record = recordIn(id, slot)
      if (!record) return abandon(id, slot)
      if (record.held) {
        // One that does not answer might act beside the other.
        await pause(id, other).catch(() => supervisor.stop(keyOf(id, other)))
        try {
          await release(id, slot, Date.now())
        } catch {
          return abandon(id, slot)
        }
      }
      await stop(id, other)
    },
  }
}
