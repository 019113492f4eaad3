import { parseArgs, type ParseArgsConfig } from 'node:util'
import { version } from '../version.ts'
import type { Shell } from './run.ts'

/** The shell of an installed platform. */
export interface InstalledShell extends Shell {
  /** Runs the server in this process. */
  start(): Promise<void>
}

const usage = `flowforge ${version}: hosts Node-RED for teams.

  flowforge start                     run the server in this terminal; Ctrl-C ends it, instances keep running
  flowforge service install           run it as a service of systemd, now and after each boot (--print shows the unit)
  flowforge check                     check settings, rights, disk, database and names before a start
  flowforge ready [--wait <seconds>]  ask the server whether it answers; exit code 0 if it does
  flowforge backup <file>             make an encrypted backup, while the server runs or not
  flowforge restore <file>            restore one into an empty platform whose server does not run
  flowforge admin …                   help administrators: reset passwords, replace the master key; see flowforge admin
  flowforge doctor [<file>]           write a file for support: versions, settings, checks, log; no secrets
  flowforge --version

Settings come from the environment and from /etc/flowforge/flowforge.env. Data is in FORGE_HOME: /var/lib/flowforge as
root, otherwise ~/.flowforge.`

type Options = NonNullable<ParseArgsConfig['options']>
type Values = Record<string, string | boolean | undefined>
interface Command {
  options?: Options
  /** Minimum and maximum number of further arguments. */
  takes?: [number, number]
  run(shell: InstalledShell, values: Values, args: string[]): Promise<number | undefined>
}

const commands: Record<string, Command> = {
  start: {
    async run(shell) {
      await shell.start()
      return undefined
    },
  },
  backup: { takes: [1, 1], run: (shell, _values, args) => admin(shell, ['backup', ...args]) },
  restore: { takes: [1, 1], run: (shell, _values, args) => admin(shell, ['restore', ...args]) },
  check: { run: async (shell) => (await import('./check.ts')).check(shell) },
  ready: {
    options: { wait: { type: 'string' } },
    run: async (shell, { wait = '0' }) => {
      if (!/^\d+$/.test(String(wait))) return notUnderstood(shell, '--wait takes a number of seconds, such as 60.')
      return (await import('./ready.ts')).ready(shell, Number(wait))
    },
  },
  doctor: {
    options: { log: { type: 'string' } },
    takes: [0, 1],
    run: async (shell, { log }, [file]) => (await import('./doctor.ts')).doctor(shell, file, log as string | undefined),
  },
  service: {
    options: { print: { type: 'boolean' }, user: { type: 'string' } },
    takes: [1, 1],
    run: async (shell, { print, user }, [verb]) => {
      if (verb !== 'install') return notUnderstood(shell, `There is no command "service ${verb}".`)
      return (await import('./service.ts')).install(shell, {
        print: print === true,
        user: user as string | undefined,
      })
    },
  },
}

/** Does what the arguments ask for. @returns the exit code, 2 if they were not understood; undefined: it goes on. */
export async function runFlowforge(args: readonly string[], shell: InstalledShell): Promise<number | undefined> {
  const [verb, ...rest] = args
  if (verb === undefined || ['help', '--help', '-h'].includes(verb)) return told(shell, usage)
  if (['--version', '-v', 'version'].includes(verb)) return told(shell, version)
  // It has a usage of its own.
  if (verb === 'admin') return admin(shell, rest)
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined
  if (!command) return notUnderstood(shell, `There is no command "${verb}".`)
  if (rest.includes('--help')) return told(shell, usage)
  try {
    const { values, positionals } = parseArgs({ args: rest, options: command.options ?? {}, allowPositionals: true })
    const [least, most] = command.takes ?? [0, 0]
    if (positionals.length < least) return notUnderstood(shell, `flowforge ${verb} needs something more.`)
    if (positionals.length > most)
      return notUnderstood(shell, `flowforge ${verb} does not understand "${positionals[most]}".`)
    return await command.run(shell, values as Values, positionals)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error
    return notUnderstood(shell, message.split('. ')[0]!.concat('.'))
  }
}

const admin = async (shell: InstalledShell, args: readonly string[]): Promise<number> =>
  (await import('./run.ts')).run(args, shell)

function told(shell: InstalledShell, text: string): 0 {
  shell.say(text)
  return 0
}

function notUnderstood(shell: InstalledShell, sentence: string): 2 {
  shell.say(`${sentence}\n\n${usage}`)
  return 2
}
