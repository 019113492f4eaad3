import type { WishStore } from '../control/wishes.store.ts'
import type { StateStore } from '../targets/state.store.ts'

/** May people open the editor on this machine itself? In developer mode, where a sign-in is set for it. */
export function localEditor({ store, wishes }: { store: StateStore; wishes: WishStore }): () => boolean {
  /** A page asks many times, and the contents of a target do not change. */
  let known: { id: string; hasSignIn: boolean } | undefined

  return () => {
    const { active } = store.get()
    if (wishes.get().mode !== 'developer' || active?.snapshot == null) return false
    if (known?.id !== active.id) known = { id: active.id, hasSignIn: store.contents(active.id)?.editor !== undefined }
    return known.hasSignIn
  }
}
