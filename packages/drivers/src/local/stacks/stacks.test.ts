import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Progress } from '../../driver.ts'
import { createLocalDriver } from '../index.ts'
import { ownerMark } from '../process/identity.ts'

/** An npm that needs no network: what it does with a folder is decided by `ci` and `install`, texts of a program, as is the trial. */
async function begin(script: { install?: string; ci?: string; trial?: string }) {
  const home = await mkdtemp(join(tmpdir(), 'forge-stacks-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const npm = join(home, 'npm.mjs')
  await writeFile(
    npm,
    `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(join(home, 'calls'))}, process.argv[2] + '\\n')
    const fail = (text) => { console.error(text); process.exit(1) }
    const say = (text) => console.error(text)
    const lock = { packages: { '': {}, 'node_modules/a': {}, 'node_modules/b': {}, 'node_modules/b/c': { inBundle: true }, 'node_modules/d': { os: ['aix'] } } }
    const place = (version, more = {}) => {
      mkdirSync('node_modules/node-red', { recursive: true })
      writeFileSync('node_modules/node-red/package.json', JSON.stringify({ name: 'node-red', version, main: 'package.json', ...more }))
    }
    if (process.argv[2] === 'install') { writeFileSync('package-lock.json', JSON.stringify(lock)); ${script.install ?? ''} }
    else { say('npm http fetch GET 200 https://registry.test/a.tgz 1ms'); say('npm http cache https://registry.test/b.tgz 1ms'); ${script.ci ?? "place('5.0.7')"} }`,
  )
  await writeFile(
    join(home, 'trial.main.js'),
    `import { writeFileSync } from 'node:fs'
    ${script.trial ?? ''}
    writeFileSync(process.argv[4], JSON.stringify({ modules: [], imports: [], names: {} }))`,
  )
  const driver = createLocalDriver({ home, runtimeEntry: npm, npm: { command: process.execPath, args: [npm] } })
  const said: Progress[] = []
  return {
    home,
    driver,
    said,
    install: (nodered = '5.0.7') => driver.installStack({ nodered, memory: 256 }, (progress) => said.push(progress)),
    calls: () => readFile(join(home, 'calls'), 'utf8'),
  }
}

/** Without the compile cache, which the trial fills. */
const stacksIn = async (home: string) => (await readdir(join(home, 'stacks'))).filter((name) => name !== 'compiled')

test('an installation tells how many of the packages are there, and leaves only the stack', async () => {
  const { home, driver, said, install } = await begin({})
  await install()
  expect(said).toContainEqual({ text: 'Installing Node-RED 5.0.7', done: 1, total: 2 })
  expect(said.at(-1)).toEqual({ text: 'Testing Node-RED 5.0.7', done: 2, total: 2, verifying: true })
  expect(await stacksIn(home)).toEqual(['5.0.7'])
  expect(await driver.hasStack({ nodered: '5.0.7', memory: 256 })).toBe(true)
})

test('two that want the same stack share one installation', async () => {
  const { install, calls } = await begin({})
  await Promise.all([install(), install()])
  await install()
  expect(await calls()).toBe('install\nci\n')
})

test.each([
  ['npm error code ETARGET', 'unknown_version', 'has no such version'],
  ['npm error code ECONNREFUSED', 'registry_unreachable', 'cannot be reached'],
  ['npm error code ENOSPC', 'disk_full', 'not enough disk space'],
  ['npm error code E503', 'registry_failing', 'answered with an error'],
  ['npm error code EOTHER\\nnpm error something odd', 'install_failed', 'something odd'],
])('%s is told in a sentence, and nothing is left', async (output, code, sentence) => {
  const { home, install } = await begin({ install: `fail('${output}')` })
  await expect(install()).rejects.toMatchObject({
    name: 'DriverError',
    code,
    message: expect.stringContaining(sentence),
  })
  expect(await stacksIn(home)).toEqual([])
})

test('another version than the one asked for is refused', async () => {
  const { driver, install } = await begin({ ci: "place('5.0.6')" })
  await expect(install()).rejects.toMatchObject({ message: 'npm installed Node-RED 5.0.6 instead of 5.0.7' })
  expect(await driver.hasStack({ nodered: '5.0.7', memory: 256 })).toBe(false)
})

test('one that does not start on trial is not had, and says why', async () => {
  const { home, driver, install } = await begin({
    trial: "console.error('Cannot find module left-pad'); process.exit(1)",
  })
  await expect(install()).rejects.toMatchObject({
    code: 'trial_failed',
    message: 'Node-RED did not start on trial: Cannot find module left-pad',
  })
  expect(await driver.hasStack({ nodered: '5.0.7', memory: 256 })).toBe(false)
  expect(await stacksIn(home)).toEqual([])
})

test('a Node-RED that needs a newer Node.js is refused before it is tried', async () => {
  const { install } = await begin({ ci: "place('5.0.7', { engines: { node: '>=99.1' } })" })
  await expect(install()).rejects.toMatchObject({
    code: 'node_too_old',
    message: `Node-RED 5.0.7 needs Node.js >=99.1, and its stack has ${process.versions.node}`,
  })
})

test.each(['lts', '22', '18.20.0', '22.17.1'])('%s is no Node.js for a stack', async (nodejs) => {
  const { home, driver } = await begin({})
  await expect(driver.installStack({ nodered: '5.0.7', memory: 256, nodejs }, () => {})).rejects.toMatchObject({
    code: 'unknown_version',
  })
  expect(existsSync(join(home, 'calls'))).toBe(false)
})

test.each(['latest', '../../etc', '--global', '5'])('%s is no version to install', async (version) => {
  const { home, install } = await begin({})
  await expect(install(version)).rejects.toMatchObject({ code: 'unknown_version' })
  expect(existsSync(join(home, 'calls'))).toBe(false)
})

test('half installations of processes that are gone are removed', async () => {
  const { home, install } = await begin({})
  await mkdir(join(home, 'stacks', '4.1.15.partial-4194304-abc'), { recursive: true })
  // The process that had this pid before made it, as in a container that was restarted.
  await mkdir(join(home, 'stacks', `4.1.15.partial-${process.pid}-1-abc`))
  const own = `4.1.15.partial-${ownerMark()}-abc`
  await mkdir(join(home, 'stacks', own))
  await install()
  expect(await stacksIn(home)).toEqual([own, '5.0.7'])
})

test.runIf(process.getuid?.() === 0)('a disk that is full while Node-RED is copied is named', async () => {
  const home = await mkdtemp(join(tmpdir(), 'forge-shipped-'))
  const shipped = join(home, 'shipped')
  const stacksDir = join(home, 'stacks')
  await mkdir(join(shipped, 'node_modules/node-red'), { recursive: true })
  await writeFile(join(shipped, 'node_modules/node-red/package.json'), JSON.stringify({ version: '5.0.7' }))
  await writeFile(join(shipped, 'node_modules/node-red/red.js'), Buffer.alloc(2 * 1024 * 1024, 1))
  await mkdir(stacksDir)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'forge-test', stacksDir])
  onTestFinished(async () => {
    execFileSync('umount', [stacksDir])
    await rm(home, { recursive: true })
  })
  const driver = createLocalDriver({ home, stacksDir, shipped, runtimeEntry: '/nowhere/main.js' })
  await expect(driver.installStack({ nodered: '5.0.7', memory: 256 }, () => {})).rejects.toMatchObject({
    code: 'disk_full',
    message: 'There is not enough disk space to install Node-RED',
  })
  expect(await stacksIn(home)).toEqual([])
})
