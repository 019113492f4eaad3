import type { Log } from '../agent.log.ts'
import type { Wanted } from '../link/platform.link.ts'
import type { StateStore } from '../targets/state.store.ts'
import type { WishStore } from './wishes.store.ts'

interface ModesDependencies {
  store: StateStore
  wishes: WishStore
  log: Log
}

export type Modes = ReturnType<typeof createModes>

/** Developer mode of this device: its flows stay whatever the target is, and people may take a copy of them. */
export function createModes({ store, wishes, log }: ModesDependencies) {
  return {
    isDeveloper: (): boolean => wishes.get().mode === 'developer',

    /** Takes the mode that the platform wants, also after a reboot. Returns whether it is another one. */
    take({ mode }: Wanted): boolean {
      if (mode === undefined || mode === wishes.get().mode) return false
      wishes.change({ mode })
      log.info(mode === 'developer' ? 'Developer mode is on: new targets wait' : 'Developer mode is off')
      return true
    },

    /** The flows of this device as the platform keeps them in a snapshot; undefined: it has none. */
    upload() {
      const { active } = store.get()
      const contents = active?.snapshot == null ? undefined : store.contents(active.id)
      return (
        contents && {
          state: wishes.get().suspended ? 'suspended' : 'running',
          flows: contents.flows,
          credentials: contents.credentials,
          package: { modules: contents.modules },
        }
      )
    },
  }
}
