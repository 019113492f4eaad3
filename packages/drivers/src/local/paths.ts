import { chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DriverError } from '../driver.ts'
import { partsOf } from '../slots.ts'
import type { Account } from './record.store.ts'

/** Linux gives the address of a unix socket 108 bytes, other systems 104, both with a closing zero. */
const socketPathMax = 103
/** The prefix of short folders for sockets. */
const shortPrefix = 'forge-'
const sockets = { http: 'http.sock', control: 'control.sock' }

/** The files of one instance. `userDir`, `logDir` and `socketDir` belong to it, all else to the platform. */
export interface Paths {
  folder: string
  record: string
  /** The note of its last crash. */
  crash: string
  /** The user of the operating system that it runs as. */
  account: string
  userDir: string
  logDir: string
  socketDir: string
  /** Output of the process outside its log: messages of the JavaScript engine, mostly its last words. */
  output: string
}

/** Ids are names of folders. */
export const isInstanceId = (id: string) => /^[A-Za-z0-9_-]{1,64}$/.test(id)

/**
 * `key` names a process: two of one instance have the same user directory and user, and all else apart.
 * @throws DriverError for an id that could lead out of the folder.
 */
export function pathsOf(instancesDir: string, key: string): Paths {
  const { id, slot } = partsOf(key)
  const named = (name: string, extension = '') => join(folder, `${name}${slot === 0 ? '' : `.${slot}`}${extension}`)
  if (!isInstanceId(id)) throw new DriverError('invalid_id', 'This is not the id of an instance')
  const folder = join(instancesDir, id)
  return {
    folder,
    record: named('record', '.json'),
    crash: named('crash', '.json'),
    account: join(folder, 'account.json'),
    userDir: join(folder, 'user'),
    logDir: named('logs'),
    socketDir: named('run'),
    output: named('output', '.log'),
  }
}

/** Makes the folders of an instance. */
export function makeFolders({ folder, userDir, logDir, socketDir }: Paths): void {
  for (const path of [folder, userDir, logDir, socketDir]) mkdirSync(path, { recursive: true, mode: 0o700 })
}

/**
 * A folder for the sockets: the one of the instance, or a short one when the path would be too long. Around that is one
 * of the platform: in a folder for everybody the instance could put a link in its place, to sockets of another.
 */
export function chooseSocketDir({ socketDir }: Paths, account: Account | undefined): string {
  if (Buffer.byteLength(join(socketDir, sockets.control)) <= socketPathMax) return socketDir
  const around = mkdtempSync(join(tmpdir(), shortPrefix))
  const short = join(around, 'run')
  mkdirSync(short, { mode: 0o700 })
  if (account) {
    chownSync(short, account.uid, account.gid)
    chmodSync(around, 0o711)
  }
  return short
}

/** The folders of a short one, the inner first. */
export function shortFolders(socketDir: string): string[] {
  const around = dirname(socketDir)
  return basename(around).startsWith(shortPrefix) ? [socketDir, around] : [socketDir]
}

export const httpSocketOf = (socketDir: string) => join(socketDir, sockets.http)
export const controlSocketOf = (socketDir: string) => join(socketDir, sockets.control)
