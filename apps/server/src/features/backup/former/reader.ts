import type { InstanceFile } from '@app/drivers'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Contents } from '../archive.entries.ts'
import { damaged, newerFormat } from '../archive.errors.ts'
import { type ArchiveVisitor, passOver } from '../archive.visitor.ts'
import { Entry } from './entries.ts'
import { unseal } from './sealed.ts'

/** A longer line is no row of ours. */
const longestLine = 256 * 1024 * 1024
const mostRows = 2_000
/** Characters of rows that are held at once, unless a single one is longer. */
const mostText = 4 * 1024 * 1024

/** Reads a backup of the former format, made before backups were age files. @returns its contents. @throws Unsealable */
export async function readFormer(file: string, passphrase: string, visitor: ArchiveVisitor): Promise<Contents> {
  let contents: Contents | undefined
  await pipeline(
    createReadStream(file),
    (sealed: AsyncIterable<Buffer>) => unseal(sealed, passphrase),
    createGunzip(),
    async (plain: AsyncIterable<Buffer>) => {
      contents = await read(createSource(plain), visitor)
    },
  ).catch((error: NodeJS.ErrnoException) => {
    throw error.code?.startsWith('Z_') ? damaged() : error
  })
  if (!contents) throw damaged()
  return contents
}

type Source = ReturnType<typeof createSource>

/** Lines and counted bytes out of a stream. */
function createSource(plain: AsyncIterable<Buffer>) {
  const pieces = plain[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  /** Where to look on for the end of a line. */
  let ahead: string | undefined

  async function more(): Promise<boolean> {
    const { done, value } = await pieces.next()
    if (done) return false
    rest = rest.length === 0 ? value : Buffer.concat([rest, value])
    return true
  }

  /** The next line, if the whole of it is there. */
  function cut(from = 0): string | undefined {
    const end = rest.indexOf(10, from)
    if (end < 0) return undefined
    const text = rest.toString('utf8', 0, end)
    rest = rest.subarray(end + 1)
    return text
  }

  async function take(): Promise<string | undefined> {
    for (let from = 0; ; ) {
      const text = cut(from)
      if (text !== undefined) return text
      from = rest.length
      if (from > longestLine) throw damaged()
      if (!(await more())) return rest.length === 0 ? undefined : Promise.reject(damaged())
    }
  }

  return {
    /** The same as `peek` if that needs nothing more to be read; undefined otherwise. */
    ahead(): string | undefined {
      ahead ??= cut()
      return ahead
    },
    /** Takes the line that was looked at. */
    drop(): void {
      ahead = undefined
    },
    /** The next line without taking it; undefined at the end. */
    async peek(): Promise<string | undefined> {
      ahead ??= await take()
      return ahead
    },
    async next(): Promise<string | undefined> {
      const text = ahead ?? (await take())
      ahead = undefined
      return text
    },
    async bytes(count: number): Promise<Buffer> {
      while (rest.length < count) if (!(await more())) throw damaged()
      const taken = rest.subarray(0, count)
      rest = rest.subarray(count)
      return taken
    },
  }
}

function entryOf(text: string | undefined): Entry {
  if (text === undefined) throw damaged()
  const result = Entry.safeParse(JSON.parse(text))
  if (!result.success) throw newerFormat()
  return result.data
}

async function read(source: Source, visitor: ArchiveVisitor): Promise<Contents> {
  const manifest = entryOf(await source.next())
  if (manifest.kind !== 'manifest') throw damaged()
  await visitor.begin(manifest)
  const contents: Contents = { rows: 0, files: 0, instances: 0 }
  for (;;) {
    const entry = entryOf(await source.peek())
    if (entry.kind === 'table') {
      await source.next()
      for (let rows = await someRows(source); rows.length > 0; rows = await someRows(source)) {
        contents.rows += rows.length
        if (entry.name === 'instances') contents.instances += rows.length
        await visitor.rows(entry, Buffer.from(`${rows.join('\n')}\n`), rows.length)
      }
    } else if (entry.kind === 'file') {
      const before = contents.files
      await visitor.files(
        entry.instance,
        filesOf(source, entry.instance, () => (contents.files += 1)),
      )
      if (contents.files === before) throw new Error('The files of an instance were not read')
    } else if (entry.kind === 'end') {
      await source.next()
      if (entry.rows !== contents.rows || entry.files !== contents.files || (await source.next()) !== undefined)
        throw damaged()
      return contents
    } else throw damaged()
  }
}

async function someRows(source: Source): Promise<string[]> {
  const rows: string[] = []
  let size = 0
  while (rows.length < mostRows && size < mostText) {
    // Awaiting each of a million lines that are there already would take longer than all else.
    const text = source.ahead() ?? (await source.peek())
    if (!text?.startsWith('[')) break
    source.drop()
    size += text.length
    rows.push(text)
  }
  return rows
}

async function* filesOf(source: Source, instance: string, count: () => void): AsyncGenerator<InstanceFile> {
  for (;;) {
    const entry = entryOf(await source.peek())
    if (entry.kind !== 'file' || entry.instance !== instance) return
    await source.next()
    count()
    const content = contentOf(source)
    yield { path: entry.path, mode: entry.mode, content }
    // Entries nobody asked for are skipped.
    await passOver(content)
  }
}

async function* contentOf(source: Source): AsyncGenerator<Buffer> {
  for (;;) {
    const entry = entryOf(await source.next())
    if (entry.kind !== 'bytes') throw damaged()
    if (entry.count === 0) return
    yield await source.bytes(entry.count)
  }
}
