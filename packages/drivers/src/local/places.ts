import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DriverError } from '../driver.ts'

/** Linux gives the address of a unix socket 108 bytes, other systems 104, both with a closing zero. */
const socketPathMax = 103
const sockets = { http: 'http.sock', control: 'control.sock' }

/** The files of one instance. */
export interface Places {
  folder: string
  record: string
  userDir: string
  logDir: string
  /** What the process prints outside its log: messages of the JavaScript engine, mostly its last words. */
  output: string
}

/** Ids are names of folders. */
export const isInstanceId = (id: string) => /^[A-Za-z0-9_-]{1,64}$/.test(id)

/** @throws DriverError for an id that could lead out of the folder. */
export function placesOf(instancesDir: string, id: string): Places {
  if (!isInstanceId(id)) throw new DriverError('invalid_id', 'This is not the id of an instance')
  const folder = join(instancesDir, id)
  return {
    folder,
    record: join(folder, 'record.json'),
    userDir: join(folder, 'user'),
    logDir: join(folder, 'logs'),
    output: join(folder, 'output.log'),
  }
}

/** Makes the folders of an instance. */
export function makePlaces({ folder, userDir, logDir }: Places): void {
  for (const path of [folder, userDir, logDir]) mkdirSync(path, { recursive: true, mode: 0o700 })
}

/** A folder for the sockets: the one of the instance, or a short one when the path would be too long. */
export function chooseSocketDir(folder: string): string {
  const fits = Buffer.byteLength(join(folder, sockets.control)) <= socketPathMax
  return fits ? folder : mkdtempSync(join(tmpdir(), 'forge-'))
}

export const httpSocketOf = (socketDir: string) => join(socketDir, sockets.http)
export const controlSocketOf = (socketDir: string) => join(socketDir, sockets.control)
