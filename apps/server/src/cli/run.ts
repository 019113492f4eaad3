import { backupRules } from '../backup.rules.ts'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { openDriver } from '../drivers.ts'
import { auditSigner } from '../features/audit/index.ts'
import {
  inspectBackup,
  makeBackup,
  NotRestored,
  RestoreUnfinished,
  type Told,
  Unsealable,
} from '../features/backup/index.ts'
import { openKeys } from '../keys.ts'
import { counted } from '../platform/counted.ts'
import { systemClock } from '../platform/clock.ts'
import { openDatabase } from '../platform/db/database.ts'
import { WrongKey } from '../platform/keys/keyring.ts'
import { HomeTaken, lockHome } from '../platform/home.lock.ts'
import { restorePlatform } from '../restore.ts'
import { adminCommand } from '../program.ts'
import { version } from '../version.ts'
import { createAccountCommands, CommandError } from './account.commands.ts'
import { forgetFormer, startInstances, stopInstances } from './instances.ts'
import { replaceKey } from './rotate-key.ts'

export interface Shell {
  env: Record<string, string | undefined>
  /** The folder that paths are relative to. */
  folder: string
  /** Name of the program in the usage text, if it is not the usual one. */
  program?: string
  say(text: string): void
  /** Asks the person for a secret. */
  ask(question: string): Promise<string>
}

const usage = (
  program = adminCommand,
) => `Commands for the machine that the platform runs on, with the settings of its server:

  ${program} backup <file>                 make a backup, while the server runs or not
  ${program} restore <file>                restore one into an empty platform whose server does not run
  ${program} backup-verify <file>          read a backup to its end, and say whether it can be restored
  ${program} reset-password <user>         print a link with which a user sets a new password
  ${program} reset-second-factor <user>    take the second factors from a user who lost them
  ${program} make-admin <user>             make a user an administrator
  ${program} lift-suspension <user>        let a suspended user sign in again
  ${program} rotate-key                    replace the master key, while servers run or not; run it again if it
                                                 was cut off
  ${program} stop-instances                end all instances for good, as before a move; the server runs or not
  ${program} start-instances               let them run again after all
  ${program} forget-former                 the machine of a server that went silent is gone for good

A user is given by name or e-mail address. The passphrase of backups is FORGE_BACKUP_PASSPHRASE, or asked for.`

const accountCommands = {
  'reset-password': 'resetPassword',
  'reset-second-factor': 'resetSecondFactor',
  'make-admin': 'makeAdmin',
  'lift-suspension': 'liftSuspension',
} as const
const ofFiles = { backup, restore, 'backup-verify': verify } as const
const alone = {
  'rotate-key': replaceKey,
  'stop-instances': stopInstances,
  'start-instances': startInstances,
  'forget-former': forgetFormer,
} as const
const forPeople = [ConfigError, CommandError, NotRestored, RestoreUnfinished, Unsealable, HomeTaken, WrongKey]

/** Does what the arguments ask for. @returns the exit code: 0 done, 1 not possible, 2 not understood. */
export async function run(args: readonly string[], shell: Shell): Promise<0 | 1 | 2> {
  const [verb = '', subject, ...more] = args
  const isKnown = verb in ofFiles || verb in accountCommands
  if (!(verb in alone ? subject === undefined : isKnown && subject !== undefined) || more.length > 0) {
    shell.say(usage(shell.program))
    return 2
  }
  try {
    const config = readConfig(shell.env)
    if (subject === undefined) await alone[verb as keyof typeof alone](config, shell)
    else if (verb in ofFiles) await ofFiles[verb as keyof typeof ofFiles](config, resolve(shell.folder, subject), shell)
    else await runAccountCommand(config, accountCommands[verb as keyof typeof accountCommands], subject, shell)
    return 0
  } catch (error) {
    if (!(error instanceof Error) || !forPeople.some((kind) => error instanceof kind)) throw error
    shell.say(error.message)
    return 1
  }
}

async function passphraseOf(config: Config, shell: Shell, again: boolean): Promise<string> {
  if (config.backup?.passphrase) return config.backup.passphrase
  const given = await shell.ask('Passphrase: ')
  if (!again) return given
  if (given.length < 12) throw new CommandError('A passphrase has at least 12 characters.')
  if ((await shell.ask('Repeat the passphrase: ')) !== given) throw new CommandError('The two passphrases differ.')
  return given
}

const sizeOf = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

const contentsOf = ({ rows, instances, files }: { rows: number; instances: number; files: number }) =>
  [counted(rows, 'row'), counted(instances, 'instance'), counted(files, 'file')].join(', ')

async function backup(config: Config, file: string, shell: Shell): Promise<void> {
  if (!config.databaseUrl && !existsSync(join(config.home, 'forge.db')))
    throw new CommandError(`There is no platform in ${config.home}. Is FORGE_HOME set as for the server?`)
  if (existsSync(file)) throw new CommandError(`${file} is there already.`)
  const passphrase = await passphraseOf(config, shell, true)
  const driver = openDriver({ ...config, warmProcesses: 0 })
  try {
    const { home, databaseUrl } = config
    const masterKey = await keyOf(config)
    const made = await makeBackup(
      { home, databaseUrl, driver, masterKey, version, rules: backupRules },
      { file, passphrase },
    )
    const { size } = await stat(file)
    shell.say(`${file}: ${contentsOf(made)}, ${sizeOf(size)}.`)
  } finally {
    await driver.close()
  }
}

/** Says what is being done, and how far it is at every tenth. */
function teller({ say }: Shell) {
  let last = ''
  return ({ text, done, total }: Told): void => {
    const tenth = done === undefined || !total ? undefined : Math.floor((10 * done) / total) * 10
    const line = tenth === undefined ? `${text} …` : `${text}: ${tenth} %`
    if (line !== last) say(line)
    last = line
  }
}

async function verify(config: Config, file: string, shell: Shell): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`There is no ${file}.`)
  const passphrase = await passphraseOf(config, shell, false)
  // A server has its key; a backup of another platform is no worse for that.
  const { manifest, contents } = await inspectBackup({}, { file, passphrase })
  shell.say(
    `${file} is whole and can be restored: made on ${manifest.made} by version ${manifest.version}, ${contentsOf(contents)}.`,
  )
}

async function restore(config: Config, file: string, shell: Shell): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`There is no ${file}.`)
  const release = lockHome(config.home)
  const driver = openDriver({ ...config, warmProcesses: 0 })
  try {
    const passphrase = await passphraseOf(config, shell, false)
    const given = { file, passphrase, report: teller(shell) }
    const { manifest, ...restored } = await restorePlatform(config, driver, given)
    shell.say(
      `Restored what was there on ${manifest.made}: ${contentsOf(restored)}.\n` +
        'Start the server: it fetches Node-RED and modules, and starts the instances that ran. People sign in again.',
    )
  } finally {
    await driver.close()
    release()
  }
}

async function keyOf(config: Config): Promise<Buffer> {
  const database = await openDatabase({ home: config.home, url: config.databaseUrl })
  try {
    return (await openKeys(database, config)).current.secret
  } finally {
    await database.close()
  }
}

async function runAccountCommand(
  config: Config,
  verb: (typeof accountCommands)[keyof typeof accountCommands],
  login: string,
  shell: Shell,
) {
  const database = await openDatabase({ home: config.home, url: config.databaseUrl })
  try {
    const signer = auditSigner(await openKeys(database, config))
    const accounts = await createAccountCommands({ database, clock: systemClock, baseUrl: config.baseUrl, signer })
    try {
      shell.say(await accounts[verb](login))
    } finally {
      await accounts.close()
    }
  } finally {
    await database.close()
  }
}
