import * as z from 'zod/mini'
import type { Clock } from '../../../platform/clock.ts'
import type { Vault } from '../../../platform/crypto.ts'

/** A device may keep a proof, and use it for what it did itself: after this time it shows nothing any more. */
const keptMs = 24 * 60 * 60_000

const Proof = z.tuple([z.string(), z.number(), z.string()])
const contextOf = (deviceId: string) => `device:${deviceId}:edited-by`

export type EditorProofs = ReturnType<typeof createEditorProofs>

/**
 * Goes with each request to the editor of a device, and comes back with what Node-RED there reports of it: so the platform
 * knows who it was. The device cannot read it.
 */
export function createEditorProofs({ vault, clock }: { vault: Vault; clock: Clock }) {
  return {
    give: (deviceId: string, { user, address }: { user: string; address: string }): string =>
      vault.seal(JSON.stringify([user, clock.now(), address]), contextOf(deviceId)),

    /** Undefined for one of another device, one that is too old, and any other text. */
    read(deviceId: string, proof: string): { user: string; address: string } | undefined {
      try {
        const [user, at, address] = Proof.parse(JSON.parse(vault.open(proof, contextOf(deviceId))))
        return clock.now() - at < keptMs ? { user, address } : undefined
      } catch {
        return undefined
      }
    },
  }
}
