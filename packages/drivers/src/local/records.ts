import { readdirSync } from 'node:fs'
import { keyOf } from '../slots.ts'
import { isInstanceId, pathsOf } from './paths.ts'
import { type InstanceRecord, readRecord } from './record.store.ts'

/** The records of all processes of instances whose folders are in this one. */
export function recordsIn(instancesDir: string): InstanceRecord[] {
  const keys = namesIn(instancesDir)
    .filter(isInstanceId)
    .flatMap((id) => [keyOf(id, 0), keyOf(id, 1)])
  return keys.flatMap((key) => readRecord(pathsOf(instancesDir, key), key) ?? [])
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
