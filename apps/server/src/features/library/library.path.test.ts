import { expect, onTestFinished, test } from 'vitest'
import { send, startServer } from '../../../testing/index.ts'
import { Failure } from '../../platform/http/failure.ts'
import { checkPath, parentsOf, partsOf, splitPath } from './library.path.ts'

/** Parts of paths that people and editors use, and attackers try. */
const pieces = [
  ['a', 'B', 'ovens', 'Start up', '.hidden', 'a.b', '...', '100%', '50_off', "it's", '"', 'c:', '~', '-rf', '*', '?'],
  ['..', '.', '', '%2e%2e', '%2f', '%00', '..%2f', '\\', '..\\', '__proto__', 'constructor', ' ', '\u00a0'],
  ['ä', 'a\u0308', '😀', '👩‍🍳', '日本語', '\u202e', '\ufeff', '\u200b', '\ud800', '\udc00', '\uffff', 'İ', 'ß'],
  ['\0', '\n', '\r\n', '\t', '\u001b[31m', '\u007f', '\u0085', 'x'.repeat(201), 'é'.repeat(200), 'x'.repeat(4_096)],
].flat()
const breaks = ['/', '/', '/', '//', '']

/** Numbers below 1 that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Another one for each number: some pieces, with or without something between them, or any characters at all. */
function pathOf(next: () => number): string {
  const one = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)]!
  const count = Math.floor(next() * 8)
  if (next() < 0.2) return Array.from({ length: count * 3 }, () => String.fromCharCode(next() * 65_536)).join('')
  return Array.from({ length: count }, () => one(pieces) + one(breaks)).join('')
}

test('each of 100,000 paths is refused with a sentence, or kept exactly and below the top', () => {
  const next = numbers(7)
  const met = { kept: 0, refused: 0 }
  for (let at = 0; at < 100_000; at++) {
    const path = pathOf(next)
    const parts = partsOf(path)
    try {
      checkPath(parts)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'invalid_name' || !error.message.isWellFormed()) throw error
      met.refused += 1
      continue
    }
    met.kept += 1
    const { folder, name } = splitPath(parts)
    const kept = folder === '' ? name : `${folder}/${name}`
    // Compared by hand: 100,000 times `expect` would take minutes.
    const isSame = kept === path.split('/').filter(Boolean).join('/')
    const isName = (part: string) =>
      part !== '.' && part !== '..' && part.length <= 200 && ![...part].some((letter) => letter < ' ')
    const isWithin = name !== '' && kept.split('/').every(isName)
    const stays = Buffer.from(kept, 'utf8').toString('utf8') === kept
    const above = parentsOf(parts).map((place) => (place.folder === '' ? place.name : `${place.folder}/${place.name}`))
    if (!isSame || !isWithin || !stays || above.some((one) => !kept.startsWith(`${one}/`)))
      throw new Error(`${JSON.stringify(path)} was kept as ${JSON.stringify(kept)}`)
  }
  expect(met.kept).toBeGreaterThan(20_000)
  expect(met.refused).toBeGreaterThan(20_000)
})

test('what is kept is listed, read and deleted under the very name, and nothing beside it', async () => {
  const server = await startServer({})
  onTestFinished(() => server.close())
  const { owner, team } = await server.build.platform()
  const call = (method: string, parts: readonly string[], query = '', body?: unknown) => {
    const path = `/storage/library/${team.id}/${parts.map(encodeURIComponent).join('/')}${query}`
    return send(server.address, method, path, { headers: { cookie: owner.cookie }, body })
  }
  const next = numbers(11)
  const kept = new Map<string, string[]>()
  const refused: string[] = []
  while (kept.size < 25) {
    // Dots would have led elsewhere before the address is sent; half of a character cannot be sent.
    const parts = partsOf(pathOf(next)).filter((part) => part.isWellFormed() && !/^\.\.?$/.test(part))
    const { status, json } = await call('POST', parts, '', { type: 'functions', body: `= ${parts.join('/')}` })
    if (status === 201) kept.set(parts.join('/'), parts)
    else refused.push(`${String(json.code)} ${parts.join('/').length > 1_024}`)
  }
  // A path that is too long for an address does not exist.
  expect(new Set(refused)).toEqual(new Set(['not_found true', 'invalid_name false']))
  const found: string[] = []
  async function walk(folder: readonly string[]): Promise<void> {
    const { json } = await call('GET', folder)
    for (const one of json as unknown as (string | { fn: string })[]) {
      if (typeof one === 'string') await walk([...folder, one])
      else found.push([...folder, one.fn].join('/'))
    }
  }
  await walk([])
  expect(found.sort()).toEqual([...kept.keys()].sort())
  for (const [path, parts] of kept) expect((await call('GET', parts, '?type=functions')).text).toBe(`= ${path}`)
  const [first] = [...kept.values()].filter(({ length }) => length > 1)
  const below = [...kept.keys()].filter((path) => path.startsWith(`${first![0]}/`))
  expect((await call('DELETE', first!.slice(0, 1), '?type=folder')).json).toMatchObject({ deleteCount: below.length })
  found.length = 0
  await walk([])
  expect(found.sort()).toEqual([...kept.keys()].filter((path) => !below.includes(path)).sort())
})
