import type { InstanceFile } from '@app/drivers'
import type { ParsedTarEntry } from 'modern-tar'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type * as z from 'zod'
import { ageMagic, decrypt, headerMax } from './archive.age.ts'
import { archivePaths, type Contents, EndFile, ManifestFile } from './archive.entries.ts'
import { damaged, newerFormat, Unsealable } from './archive.errors.ts'
import { unpack } from './archive.tar.ts'
import { type ArchiveVisitor, passOver } from './archive.visitor.ts'
import { readFormer } from './former/reader.ts'
import { formerMagic } from './former/sealed.ts'

/** No part of a table is longer, unless a single row is. */
const longestPart = 256 * 1024 * 1024
const pieceBytes = 256 * 1024
const newline = 10

/**
 * Reads a backup from its beginning to its end, in the format of today or in the former one. @returns what it holds.
 * @throws Unsealable when it is no backup, damaged, cut off, or under another passphrase.
 */
export async function readArchive(file: string, passphrase: string, visitor: ArchiveVisitor): Promise<Contents> {
  const start = await startOf(file)
  const begins = (magic: string) => start.startsWith(magic.slice(0, Math.max(1, start.length)))
  if (begins(formerMagic)) return readFormer(file, passphrase, visitor)
  if (!begins(ageMagic)) throw new Unsealable('This is not a backup that this version can read')
  if (!start.includes('\n--- ')) throw damaged()
  let contents: Contents | undefined
  await pipeline(
    createReadStream(file, { highWaterMark: pieceBytes }),
    (sealed: AsyncIterable<Buffer>) => decrypt(sealed, passphrase),
    createGunzip({ chunkSize: pieceBytes }),
    async (plain: AsyncIterable<Buffer>) => {
      contents = await read(unpack(plain), visitor)
    },
  ).catch((error: NodeJS.ErrnoException) => {
    throw error.code?.startsWith('Z_') ? damaged() : error
  })
  if (!contents) throw damaged()
  return contents
}

async function startOf(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerMax), 0, headerMax, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function read(entries: AsyncGenerator<ParsedTarEntry>, visitor: ArchiveVisitor): Promise<Contents> {
  const { done, value: first } = await entries.next()
  if (done || first.header.name !== archivePaths.manifest) throw damaged()
  const { tables, ...manifest } = await jsonOf(first, ManifestFile)
  await visitor.begin(manifest)
  const shapes = new Map(tables.map((table) => [table.name, table]))
  const contents: Contents = { rows: 0, files: 0, instances: 0 }
  let entry = await entries.next()
  while (!entry.done) {
    const [kind, owner = ''] = entry.value.header.name.split('/')
    if (kind === 'database') {
      const table = shapes.get(owner)
      if (!table) throw damaged()
      const lines = await bytesOf(entry.value)
      const count = countLines(lines)
      contents.rows += count
      if (owner === 'instances') contents.instances += count
      await visitor.rows(table, lines, count)
      entry = await entries.next()
    } else if (kind === 'files') {
      const files = filesOf(entries, entry.value, owner)
      await visitor.files(owner, files.each())
      contents.files += files.count()
      entry = files.next()
    } else if (entry.value.header.name === archivePaths.end) {
      const end = await jsonOf(entry.value, EndFile)
      if (end.rows !== contents.rows || end.files !== contents.files || !(await entries.next()).done) throw damaged()
      return contents
    } else throw newerFormat()
  }
  throw damaged()
}

/** The files of one instance; what comes after them is in `next`. */
function filesOf(entries: AsyncGenerator<ParsedTarEntry>, first: ParsedTarEntry, instance: string) {
  const folder = archivePaths.file(instance, '')
  let entry: IteratorResult<ParsedTarEntry> | undefined = { value: first }
  let count = 0
  return {
    async *each(): AsyncGenerator<InstanceFile> {
      while (entry && !entry.done && entry.value.header.name.startsWith(folder)) {
        const { header, body } = entry.value
        const content = buffersOf(body)
        count += 1
        yield { path: header.name.slice(folder.length), mode: header.mode ?? 0o600, content }
        // Skip what nobody read.
        await passOver(content)
        entry = await entries.next()
      }
    },
    count: () => count,
    next(): IteratorResult<ParsedTarEntry> {
      if (!entry || entry.value === first) throw new Error('The files of an instance were not read')
      return entry
    },
  }
}

async function* buffersOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of body) yield Buffer.from(buffer, byteOffset, byteLength)
}

async function bytesOf({ header, body }: ParsedTarEntry): Promise<Buffer> {
  if (header.size > longestPart) throw damaged()
  return Buffer.concat(await Array.fromAsync(body))
}

/** Number of lines, each with its end. @throws Unsealable */
function countLines(bytes: Buffer): number {
  if (bytes.length > 0 && bytes.at(-1) !== newline) throw damaged()
  let count = 0
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, end + 1)) count += 1
  return count
}

async function jsonOf<T>(entry: ParsedTarEntry, schema: z.ZodType<T>): Promise<T> {
  const result = schema.safeParse(JSON.parse((await bytesOf(entry)).toString()))
  if (!result.success) throw newerFormat()
  return result.data
}
