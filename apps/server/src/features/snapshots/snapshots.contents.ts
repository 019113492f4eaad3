import { nodesIn } from '../flows/index.ts'
import { keepBlob, dropBlobs, packBlob, type Packed, readBlob } from '../../platform/blobs/blobs.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Contents } from '../contents/index.ts'
import { effectiveSettings } from '../instance-settings/index.ts'
import { instanceEvent, updateInstance, type WholeInstance } from '../instances/index.ts'
import { prepareFlows, type Origin, type Versions } from '../versions/index.ts'
import { readStored, storageContext } from '../storage/index.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { OpenContents } from './contents.difference.ts'
import type { Hashes } from './snapshots.store.ts'

/** The contents of an instance as they are kept: flows in clear, credentials sealed, settings with sealed secrets. */
export interface Held {
  flows: string
  credentials: string | null
  settings: string
}
/** The same, ready to be kept. */
export interface PackedContents {
  flows: Packed
  credentials: Packed | null
  settings: Packed
}

export interface ContentsDependencies {
  clock: Clock
  bus: Bus
  vault: Vault
  contents: Contents
  versions: Versions
}

/** The contents of an instance now. */
export async function heldBy(db: Db, row: Pick<WholeInstance, 'id' | 'settings'>): Promise<Held> {
  const { flows = '[]', credentials = null } = await readStored(db, row.id)
  return { flows, credentials, settings: row.settings }
}

export async function packContents({ flows, credentials, settings }: Held): Promise<PackedContents> {
  return {
    flows: await packBlob(flows),
    credentials: credentials === null ? null : await packBlob(credentials),
    settings: await packBlob(settings),
  }
}

/** Keeps the contents once more, each part named by its hash. */
export async function keepContents(tx: Tx, packed: PackedContents): Promise<Hashes> {
  const parts = [packed.flows, packed.credentials, packed.settings].filter((part) => part !== null)
  // Always in the same order, so that no two wait for each other.
  for (const part of parts.sort((a, b) => (a.hash < b.hash ? -1 : 1))) await keepBlob(tx, part)
  return {
    flows_hash: packed.flows.hash,
    credentials_hash: packed.credentials?.hash ?? null,
    settings_hash: packed.settings.hash,
  }
}

export async function dropContents(tx: Tx, all: readonly Hashes[]): Promise<void> {
  await dropBlobs(
    tx,
    all.flatMap((one) => [one.flows_hash, one.settings_hash, ...(one.credentials_hash ? [one.credentials_hash] : [])]),
  )
}

export async function readContents(db: Db, hashes: Hashes): Promise<Held> {
  return {
    flows: await readBlob(db, hashes.flows_hash),
    credentials: hashes.credentials_hash === null ? null : await readBlob(db, hashes.credentials_hash),
    settings: await readBlob(db, hashes.settings_hash),
  }
}

/** Opens and replaces the contents of instances. */
export function createHolding({ clock, bus, vault, contents, versions }: ContentsDependencies) {
  return {
    /** Contents as they are compared; `row` is the instance whose they are, with everything else it has now. */
    open(row: WholeInstance, held: Held): OpenContents {
      return {
        flows: nodesIn(held.flows),
        // Credentials that Node-RED itself cannot read any more count as none.
        credentials: held.credentials === null ? {} : contents.openOr(row, held.credentials, {}),
        settings: effectiveSettings({ ...row, settings: held.settings }),
      }
    },

    /**
     * Makes contents ready to be put in the place of what the instance holds; what is returned does it. What is not
     * named stays as it is.
     */
    async replacement(id: string, { flows, credentials, settings }: Partial<Held>, origin: Origin) {
      const prepared = flows === undefined ? undefined : await prepareFlows(flows)
      // Node-RED has no way to say that there are none but to keep none.
      const text =
        credentials === null ? '{}' : credentials && vault.open(credentials, storageContext(id, 'credentials'))
      return async (tx: Tx): Promise<void> => {
        const now = clock.now()
        await versions.write(tx, id, { flows: prepared, credentials: text }, origin)
        const row = await updateInstance(tx, id, { ...(settings === undefined ? {} : { settings }), updated_at: now })
        if (row) await bus.publish(tx, { ...instanceEvent(row, now), changed: true })
      }
    },
  }
}
