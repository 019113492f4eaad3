import { Training, trainingFile } from '@app/contract/instance-link'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { DriverError } from '../../driver.ts'
import type { Config } from '../config.ts'
import { environment } from '../process/spawn.ts'
import { nodeIn, nodeVersionIn } from '../stacks/stack.node.ts'

/**
 * Only for a Node-RED that would never end: where the disk is slow or the processor is emulated, a good one takes minutes, and
 * a failed trial costs the whole installation.
 */
const trialMinutes = 10
const saidMax = 300

const Kept = z.extend(Training, { madeFor: z.string() })

/**
 * The conditions a training was made for: this Node.js, this runtime, this installation of Node-RED. Undefined when
 * there is no Node-RED in the folder.
 */
export function conditionsOf(config: Config, folder: string): string | undefined {
  try {
    const installed = statSync(join(folder, 'node_modules', 'node-red', 'package.json'))
    const ours = dirname(config.runtimeEntry)
    const runtime = readdirSync(ours).map((name) => statSync(join(ours, name)).mtimeMs)
    return [nodeVersionIn(folder), ...runtime, installed.size, installed.mtimeMs, installed.ino].join(' ')
  } catch {
    return undefined
  }
}

/** The file of the training of the Node-RED in this folder, if there is one that still holds. */
export function trainingOf(config: Config, folder: string): string | undefined {
  const path = join(folder, trainingFile)
  try {
    const { madeFor } = Kept.parse(JSON.parse(readFileSync(path, 'utf8')))
    return madeFor === conditionsOf(config, folder) ? path : undefined
  } catch {
    return undefined
  }
}

/**
 * Starts the Node-RED in this folder once, with no flows and nobody's data, and keeps beside it what that loaded.
 * @throws DriverError with the reason when it does not start.
 */
export async function train(config: Config, folder: string): Promise<string> {
  const madeFor = conditionsOf(config, folder)
  const scratch = await mkdtemp(join(tmpdir(), 'forge-trial-'))
  const result = join(scratch, 'loaded.json')
  try {
    await runTrial(config, nodeIn(folder), [folder, join(scratch, 'user'), result])
    const training = Training.parse(JSON.parse(await readFile(result, 'utf8')))
    const path = join(folder, trainingFile)
    const temporary = `${path}.${process.pid}.tmp`
    await writeFile(temporary, JSON.stringify({ madeFor, ...training }))
    await rename(temporary, path)
    return path
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function runTrial(config: Config, node: string, args: string[]): Promise<void> {
  const entry = join(dirname(config.runtimeEntry), 'trial.main.js')
  const child = spawn(node, [entry, ...args], {
    cwd: '/',
    env: { ...environment(config, node), HOME: args[1] },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: trialMinutes * 60_000,
    killSignal: 'SIGKILL',
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said = (said + part).slice(-saidMax)))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code === 0) return
  throw new DriverError(
    'trial_failed',
    `Node-RED did not start on trial: ${said.trim() || `it took more than ${trialMinutes} minutes`}`,
  )
}
