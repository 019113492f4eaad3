import { contextFiles } from '@app/contract/instance-link.constants'
import type { ContextReport, ContextTarget } from '@app/contract/instance-link'
import { randomBytes } from 'node:crypto'
import type { StoredFile } from '../../driver.ts'
import { keyOf, slots } from '../../slots.ts'
import type { Config } from '../config.ts'
import { askContext, copyContext, deleteContext, sendCommand } from '../control/control.client.ts'
import { readFiles } from '../files/files.ts'
import { pathsOf } from '../paths.ts'
import type { Processes } from '../process/processes.ts'
import { type InstanceRecord, readRecord } from '../record.store.ts'

/**
 * The persistent context of instances. Only their own processes open it: the file belongs to the flows, and could be
 * made to harm whoever reads it. Processes are found by their records, so that a command of the shell finds them too.
 */
export function createContext(config: Config, processes: Pick<Processes, 'look'>) {
  async function recordsOf(id: string): Promise<InstanceRecord[]> {
    const found: InstanceRecord[] = []
    for (const slot of slots) {
      const key = keyOf(id, slot)
      const record = readRecord(pathsOf(config.instancesDir, key), key)
      if (record && (await processes.look(record))) found.push(record)
    }
    return found
  }

  /** Undefined when no process of the instance answers. */
  async function ofFirst<T>(id: string, ask: (record: InstanceRecord) => Promise<T>): Promise<T | undefined> {
    for (const record of await recordsOf(id)) {
      try {
        return await ask(record)
      } catch {
        // The other one has the same file.
      }
    }
    return undefined
  }

  return {
    read: (id: string): Promise<ContextReport | undefined> => ofFirst(id, askContext),
    delete: (id: string, target: ContextTarget): Promise<number | undefined> =>
      ofFirst(id, (record) => deleteContext(record, target)),

    /** The files of an instance; of the database that it writes meanwhile, a copy that it makes. */
    async *files(id: string): AsyncGenerator<StoredFile> {
      const name = contextFiles.copyName(randomBytes(8).toString('hex'))
      const { userDir } = pathsOf(config.instancesDir, id)
      const copied = await ofFirst(id, async (record) => {
        await copyContext(record, name)
        return record
      })
      try {
        yield* readFiles(userDir, copied && name)
      } finally {
        if (copied) await sendCommand(copied, { cmd: 'context-drop', name }).catch(() => undefined)
      }
    },
  }
}
