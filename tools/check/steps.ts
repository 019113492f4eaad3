import { type ChildProcess, spawn } from 'node:child_process'

/** `note` is shown beside the name; `output` only when the step failed. */
export type Outcome = { ok: boolean; output: string; note?: string }
export type Step = {
  name: string
  run: () => Promise<Outcome>
  /** Names of steps that must have ended before; with `needs`, also well. */
  after?: string[]
  needs?: string[]
}
export type Result = Outcome & { name: string; seconds: number }

const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    for (const child of running) stopGroup(child, 'SIGTERM')
    process.exit(130)
  })

/** Runs a program to its end; it and what it started are ended after `minutes`. */
export function command(
  program: string,
  args: string[],
  options: { env?: Record<string, string>; minutes?: number } = {},
): Promise<Outcome> {
  return new Promise((done) => {
    const child = spawn(program, args, {
      // A group of its own, so that a browser or a database it started ends with it.
      detached: true,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let output = ''
    const keep = (part: Buffer) => (output += part.toString())
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const minutes = options.minutes ?? 5
    const timer = setTimeout(() => {
      output += `\nNot finished after ${minutes} minutes: stopped.\n`
      stopGroup(child, 'SIGTERM')
      setTimeout(() => stopGroup(child, 'SIGKILL'), 5_000).unref()
    }, minutes * 60_000)
    const end = (ok: boolean) => {
      clearTimeout(timer)
      running.delete(child)
      done({ ok, output })
    }
    child.on('error', (error) => {
      output += error.message
      end(false)
    })
    child.on('close', (code) => end(code === 0))
  })
}

function stopGroup(child: ChildProcess, signal: NodeJS.Signals) {
  try {
    if (child.pid) process.kill(-child.pid, signal)
  } catch {
    // It ended by itself in the meantime.
  }
}

/** The named steps and those that they need, in the order of `steps`; the order among them stays. */
export function stepsFor(steps: readonly Step[], names: readonly string[]): Step[] {
  const wanted = new Set(names)
  const needs = (name: string) => steps.find((step) => step.name === name)?.needs ?? []
  for (const name of wanted) for (const needed of needs(name)) wanted.add(needed)
  return steps
    .filter(({ name }) => wanted.has(name))
    .map(({ after, ...step }) => ({ ...step, after: (after ?? []).filter((name) => wanted.has(name)) }))
}

/** Runs steps in the given order, at most `atMost` at once, and prints a line for each as it ends. */
export async function runSteps(steps: Step[], atMost: number): Promise<Result[]> {
  const results = new Map<string, Result>()
  const waiting = [...steps]
  const active = new Set<Promise<void>>()
  const ended = (name: string) => results.has(name)
  while (waiting.length > 0 || active.size > 0) {
    const index = waiting.findIndex((step) => [...(step.after ?? []), ...(step.needs ?? [])].every(ended))
    const [step] = index >= 0 && active.size < atMost ? waiting.splice(index, 1) : []
    if (!step) {
      if (active.size === 0) throw new Error(`Steps wait for each other: ${waiting.map((one) => one.name).join(', ')}`)
      await Promise.race(active)
      continue
    }
    const job = runStep(step).then((result) => {
      results.set(step.name, result)
      active.delete(job)
      print(result)
    })
    active.add(job)
  }
  return steps.flatMap((step) => results.get(step.name) ?? [])

  async function runStep(step: Step): Promise<Result> {
    const started = performance.now()
    const failed = step.needs?.filter((name) => !results.get(name)?.ok) ?? []
    const outcome =
      failed.length > 0 ? { ok: false, output: `Not run, because ${failed.join(', ')} failed.` } : await outcomeOf(step)
    return { ...outcome, name: step.name, seconds: (performance.now() - started) / 1000 }
  }
}

async function outcomeOf(step: Step): Promise<Outcome> {
  try {
    return await step.run()
  } catch (error) {
    return { ok: false, output: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function print({ name, ok, seconds, note, output }: Result) {
  console.log(
    `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(24)} ${seconds.toFixed(1).padStart(6)} s  ${note ?? ''}`.trimEnd(),
  )
  if (!ok) console.log(`${output.trimEnd().replace(/^/gm, '      ')}\n`)
}
