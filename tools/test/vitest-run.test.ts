import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runVitest } from './vitest-run.ts'

let root: string
beforeEach(async () => (root = await mkdtemp(join(tmpdir(), 'forge-vitest-'))))
afterEach(() => rm(root, { recursive: true, force: true }))

const run = (part?: string) => {
  const options = { minutes: 1, results: root, pictures: join(root, 'pictures') }
  return runVitest('some', ['--root', root, '--globals'], { ...options, ...(part && { part }) })
}
/** A run starts Vitest once, and again for what failed; each may take its minute on a busy machine. */
const patience = 120_000

test(
  'a test that fails once is counted as passed and named, and its first try is kept',
  async () => {
    await writeFile(join(root, 'good.test.js'), `test('good', () => expect(1).toBe(1))`)
    await writeFile(
      join(root, 'late.test.js'),
      `import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
     const seen = '${join(root, 'seen')}'
     test('late', () => {
       const before = existsSync(seen)
       writeFileSync(seen, '')
       mkdirSync('${join(root, 'pictures')}', { recursive: true })
       writeFileSync('${join(root, 'pictures/failed.png')}', before ? 'second' : 'first')
       expect(before).toBe(true)
     })`,
    )
    const steadier = await run()
    const firstTry = join(root, 'some-first-try')
    expect(steadier).toMatchObject({ ok: true, counts: { passed: 2, failed: 0, unsteady: ['late'], firstTry } })
    expect(await readFile(join(firstTry, 'log.txt'), 'utf8')).toMatch(/late\n.*expected false to be true/)
    expect(await readFile(join(firstTry, 'pictures/failed.png'), 'utf8')).toBe('first')
    expect(steadier.note).toBe('2 passed, 0 failed; unsteady: late')
  },
  patience,
)

test(
  'a part of all files tries its failed files again whole',
  async () => {
    for (const name of ['first', 'second', 'third'])
      await writeFile(join(root, `${name}.test.js`), `test('${name}', () => expect('this').toBe('that'))`)
    const broken = await run('2/2')
    expect(broken).toMatchObject({ ok: false, counts: { passed: 0, failed: 1 } })
    expect(broken.output).toMatch(/expected 'this' to be 'that'/)
  },
  patience,
)

test(
  'a test that keeps failing is told with its reason, beside those that pass',
  async () => {
    await writeFile(join(root, 'good.test.js'), `test('good', () => expect(1).toBe(1))`)
    await writeFile(join(root, 'bad.test.js'), `test('bad', () => expect('this').toBe('that'))`)
    const broken = await run()
    expect(broken).toMatchObject({ ok: false, counts: { passed: 1, failed: 1, unsteady: [] } })
    expect(broken.output).toMatch(/bad\.test\.js:\n\nbad\n[^]*expected 'this' to be 'that'/)
    expect(broken.output).not.toContain('good')
  },
  patience,
)

test(
  'a file whose tests pass while something throws that none waits for runs again, and is named',
  async () => {
    await writeFile(
      join(root, 'astray.test.js'),
      `import { existsSync, writeFileSync } from 'node:fs'
     const seen = '${join(root, 'seen')}'
     test('good', async () => {
       if (!existsSync(seen)) void Promise.reject(new Error('lost'))
       writeFileSync(seen, '')
       await new Promise(setImmediate)
     })`,
    )
    const once = await run()
    expect(once).toMatchObject({ ok: true, counts: { passed: 1, failed: 0 } })
    expect(once.note).toBe('1 passed, 0 failed; unsteady: an error outside tests, astray.test.js')
  },
  patience,
)

test(
  'a file of which a hook failed once, while its tests passed, is named',
  async () => {
    await writeFile(
      join(root, 'hook.test.js'),
      `import { existsSync, writeFileSync } from 'node:fs'
     afterAll(() => {
       if (existsSync('${join(root, 'hooked')}')) return
       writeFileSync('${join(root, 'hooked')}', '')
       throw new Error('late')
     })
     test('good', () => {})`,
    )
    const once = await run()
    expect(once).toMatchObject({ ok: true, counts: { passed: 1, failed: 0 } })
    expect(once.note).toMatch(/^1 passed, 0 failed; unsteady: an error outside tests, .*hook\.test\.js$/)
  },
  patience,
)

test(
  'an error that is thrown each time where no test waits for it fails the run',
  async () => {
    await writeFile(join(root, 'astray.test.js'), `test('good', () => void Promise.reject(new Error('lost')))`)
    const always = await run()
    expect(always.ok).toBe(false)
    expect(always.output).toContain('lost')
  },
  patience,
)

test(
  'a run without any test is a failure',
  async () => {
    expect((await run()).ok).toBe(false)
  },
  patience,
)

test(
  'a file that does not load is a failure',
  async () => {
    await writeFile(join(root, 'torn.test.js'), `import './nowhere.js'`)
    const torn = await run()
    expect(torn.ok).toBe(false)
    expect(torn.output).toContain('nowhere.js')
  },
  patience,
)
