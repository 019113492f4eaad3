import { createTarDecoder, createTarPacker, type ParsedTarEntry } from 'modern-tar'
import { damaged, Unsealable } from './archive.errors.ts'

/** One file of the archive. Its content has exactly `size` bytes. */
export interface Member {
  name: string
  size: number
  mode?: number
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** Packs files into a tar stream, no faster than it is read. */
export async function* pack(members: AsyncIterable<Member>): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker()
  const mtime = new Date()
  const packing = (async () => {
    for await (const { name, size, mode = 0o600, content } of members) {
      const writer = controller.add({ name, size, mode, mtime, type: 'file' }).getWriter()
      for await (const piece of content) await writer.write(plainBytes(piece))
      await writer.close()
    }
    controller.finalize()
  })()
  packing.catch((error: unknown) => controller.error(error))
  try {
    yield* readable
  } finally {
    // The next caller that closes the database must not do so while rows are read.
    await packing.catch(() => undefined)
  }
}

/** The packer takes no subclass such as Buffer. */
const plainBytes = (bytes: Uint8Array) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The files of a tar stream, in their order. Each is read, or left, before the next is asked for. @throws Unsealable */
export async function* unpack(tar: AsyncIterable<Uint8Array>): AsyncGenerator<ParsedTarEntry> {
  const entries = ReadableStream.from(tar).pipeThrough(createTarDecoder({ strict: true }))
  try {
    yield* entries
  } catch (error) {
    throw error instanceof Unsealable || (error instanceof Error && 'code' in error) ? error : damaged()
  }
}
