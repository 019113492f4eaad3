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
      const { active } = store.get()
      // The target is installed anew: what people installed or changed here has no place in it.
      if (mode === 'autonomous' && wishes.get().isEdited && active)
        store.change({ active: { ...active, settings: null }, refused: undefined })
      wishes.change({ mode, editor: undefined, isEdited: undefined })
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
