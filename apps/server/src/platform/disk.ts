import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'

const mb = 1024 * 1024
const pieces = 4
/** With less than this nothing but what makes room is done. */
const fullBelow = 2 * mb
/** Beyond the reserve there must be so much before it is made again. */
const roomFor = 16 * mb
const freshMs = 1_000
const lookEveryMs = 5_000

const folderOf = (home: string) => join(home, 'reserve')

function piecesIn(home: string): string[] {
  try {
    return readdirSync(folderOf(home)).map((name) => join(folderOf(home), name))
  } catch {
    return []
  }
}

/** Bytes that this process may still write to the disk of a folder. @throws Error when there is no such folder. */
export function freeOn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** The same together with the size of the disk, without waiting for a slow one. */
export async function spaceOn(folder: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** Gives a piece of the reserve up when the disk is full, so that little can be written. */
export function makeRoom(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  if (freeOn(home) >= fullBelow) return
  const [piece] = piecesIn(home)
  if (piece) rmSync(piece)
}

export interface Disk {
  /** As it was seen within the last second. */
  isFull(): boolean
  /** Somebody could not write because there is no room. */
  sawFull(): void
  /** Gives room to one small write that helps to make more. */
  makeRoom(): void
  start(): void
  stop(): void
}

/**
 * Watches the disk of the home. A reserve of files is kept there and given up piece by piece when the disk is full, so
 * that people can sign in and delete something; it is made again once there is room.
 */
export function createDisk({ home, reserve, log }: { home: string; reserve: number; log: Logger }): Disk {
  let full = false
  let seenAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  /** False when there is no room for it. */
  function fill(): boolean {
    const there = new Set(piecesIn(home))
    try {
      mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
      for (let n = 1; n <= pieces; n += 1) {
        const piece = join(folderOf(home), String(n))
        if (there.has(piece)) continue
        if (freeOn(home) < reserve / pieces + roomFor) return false
        writeFileSync(piece, Buffer.alloc(reserve / pieces, n), { mode: 0o600 })
      }
      return true
    } catch (error) {
      log.warn({ err: error }, 'no space on the disk for the reserve')
      return false
    }
  }

  function look(): void {
    seenAt = performance.now()
    const free = freeOn(home)
    if (!full && free < fullBelow) {
      full = true
      log.error({ free }, 'the disk is full: only requests that free space are served')
    }
    if (free >= roomFor && (reserve === 0 || fill()) && full) {
      full = false
      log.info('the disk has space again')
    }
  }

  return {
    isFull() {
      if (performance.now() - seenAt > freshMs) look()
      return full
    },
    sawFull() {
      full = true
    },
    makeRoom: () => makeRoom(home),
    start() {
      look()
      timer = setInterval(look, lookEveryMs).unref()
    },
    stop: () => clearInterval(timer),
  }
}
