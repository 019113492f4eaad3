import type { InstanceFile } from '@app/drivers'
import type { TableShape } from '../../platform/db/snapshot.ts'
import type { Manifest } from './archive.entries.ts'

/** Receives the parts of a backup as it is read. */
export interface ArchiveVisitor {
  begin(manifest: Manifest): Promise<void>
  /** Rows as lines, each a JSON array of its values. They are bytes: whoever only looks need not read them. */
  rows(table: TableShape, lines: Buffer, count: number): Promise<void>
  /** All files of one instance, each read before the next is asked for. */
  files(instance: string, files: AsyncIterable<InstanceFile>): Promise<void>
}

/** Reads only, so that the whole of a file is known to be sound before anything is done with it. */
export const inspecting: ArchiveVisitor = {
  begin: async () => {},
  rows: async () => {},
  async files(_instance, files) {
    await passOver(files)
  },
}

/** Reads to the end, for whoever needs the bytes to be read and not what they are. */
export async function passOver(source: AsyncIterable<unknown>): Promise<void> {
  const pieces = source[Symbol.asyncIterator]()
  while (!(await pieces.next()).done);
}
