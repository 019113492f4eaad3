import type { ContextReport, ContextTarget } from '@app/contract/instance-link'
import { contextFiles, contextKeyMax, contextListMax } from '@app/contract/instance-link.constants'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inTransaction, openDatabase } from './sqlite.ts'

export interface Change {
  key: string
  /** As JSON; undefined deletes the key. */
  value: string | undefined
}

const megabyte = 1_000_000
/** Retention of the context of a node or flow that was deleted: a rollback may bring it back. */
const unusedMs = 30 * 24 * 3_600_000
/** No backup takes that long. */
const copyMs = 24 * 3_600_000
const isCopy = (name: string) => contextFiles.copyPattern.test(name)

const statements = {
  read: 'select value from entries where scope = ? and key = ?',
  keys: 'select key from entries where scope = ? order by rowid',
  size: 'select size from entries where scope = ? and key = ?',
  put: `insert into entries (scope, key, value, size, updated) values (?, ?, ?, ?, ?)
    on conflict (scope, key) do update set value = excluded.value, size = excluded.size, updated = excluded.updated`,
  drop: 'delete from entries where scope = ? and key = ?',
  dropScope: 'delete from entries where scope = ?',
  dropAll: 'delete from entries',
  total: 'select bytes, (select count(*) from entries) as count from total',
  grow: 'update total set bytes = bytes + ?',
  count: 'update total set bytes = (select coalesce(sum(size), 0) from entries)',
  list: 'select scope, key, size, updated from entries order by size desc, scope, key limit ?',
  scopes: "select distinct scope from entries where scope <> 'global'",
  used: 'delete from unused where scope = ?',
  unused: 'insert or ignore into unused values (?, ?)',
  overdue: 'delete from entries where scope in (select scope from unused where since < ?)',
  forget: 'delete from unused where scope not in (select scope from entries)',
} as const

/**
 * The persistent context of an instance: one SQLite file in its user folder, made when something is first set. Nothing
 * is held in memory, so that two processes of the instance see the same values.
 */
export function openContext({
  userDir,
  isOnTrial = false,
  isAcrossMachines = false,
}: {
  userDir: string
  isOnTrial?: boolean
  isAcrossMachines?: boolean
}) {
  const folder = join(userDir, contextFiles.folder)
  const file = join(folder, contextFiles.name)
  let limit = 16 * megabyte
  let database: DatabaseSync | undefined
  let prepared = new Map<string, StatementSync>()
  let isHeld = isOnTrial
  let heldNodes: readonly string[] | undefined

  /** Undefined when there is no file, unless one is to be made. */
  function opened(make: boolean): DatabaseSync | undefined {
    if (database || (!make && !existsSync(file))) return database
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return (database = openDatabase(file, isAcrossMachines))
  }

  function run(name: keyof typeof statements): StatementSync {
    const statement = prepared.get(name) ?? database!.prepare(statements[name])
    prepared.set(name, statement)
    return statement
  }

  function sizes(): { bytes: number; count: number } {
    return run('total').get() as { bytes: number; count: number }
  }

  function apply(scope: string, { key, value }: Change): number {
    if (key.length > contextKeyMax)
      throw new Error(`A key of the persistent context has at most ${contextKeyMax} characters`)
    const before = (run('size').get(scope, key) as { size: number } | undefined)?.size ?? 0
    if (value === undefined) {
      run('drop').run(scope, key)
      return -before
    }
    const size = Buffer.byteLength(key) + Buffer.byteLength(value)
    run('put').run(scope, key, value, size, Date.now())
    return size - before
  }

  function clean(activeNodes: readonly string[]): void {
    if (isHeld) return void (heldNodes = activeNodes)
    const open = opened(false)
    if (!open) return
    const active = new Set(activeNodes)
    inTransaction(open, () => {
      for (const { scope } of run('scopes').all() as { scope: string }[])
        if (active.has(scope.split(':')[0]!)) run('used').run(scope)
        else run('unused').run(scope, Date.now())
      run('overdue').run(Date.now() - unusedMs)
      run('forget').run()
      run('count').run()
    })
  }

  return {
    setLimit: (megabytes: number) => void (limit = megabytes * megabyte),

    /** The JSON of a value; undefined for none. */
    read(scope: string, key: string): string | undefined {
      if (!opened(false)) return undefined
      return (run('read').get(scope, key) as { value: string } | undefined)?.value
    },

    keys(scope: string): string[] {
      if (!opened(false)) return []
      return (run('keys').all(scope) as { key: string }[]).map(({ key }) => key)
    },

    /**
     * Makes the changes that `change` returns, all or none, with no other change between what it reads and these.
     * @throws Error with a sentence for the log when they do not fit.
     */
    write(scope: string, change: () => Change[]): void {
      const open = opened(true)!
      inTransaction(open, () => {
        let grown = 0
        for (const one of change()) grown += apply(scope, one)
        run('grow').run(grown)
        run('used').run(scope)
        const { bytes } = sizes()
        // A value that makes it smaller is accepted even where the limit was lowered.
        if (grown > 0 && bytes > limit) throw new Error(fullSentence(bytes, limit))
      })
    },

    /** @returns how many values it deleted. */
    delete({ scope, key }: ContextTarget): number {
      const open = opened(false)
      if (!open) return 0
      return inTransaction(open, () => {
        const before = sizes().count
        if (scope === undefined) run('dropAll').run()
        else if (key === undefined) run('dropScope').run(scope)
        else run('drop').run(scope, key)
        run('count').run()
        run('forget').run()
        return before - sizes().count
      })
    },

    /** Forgets, after a while, what belongs to no node any more. On trial it waits for `release`. */
    clean,

    /** The process serves: what it was told to clean while on trial is cleaned. */
    release(): void {
      isHeld = false
      if (heldNodes) clean(heldNodes)
      heldNodes = undefined
    },

    /** The largest values, without what they hold. */
    report(): ContextReport {
      if (!opened(false)) return { entries: [], count: 0, bytes: 0, limit }
      const entries = run('list').all(contextListMax) as ContextReport['entries']
      // Objects of the database have no prototype.
      return { entries: entries.map((entry) => ({ ...entry })), ...sizes(), limit }
    },

    /** Writes a whole copy beside the file, for a backup. @returns whether there is anything to copy. */
    copy(name: string): boolean {
      if (!isCopy(name)) throw new Error('Not the name of a copy')
      const open = opened(false)
      open?.prepare('vacuum into ?').run(join(folder, name))
      return open !== undefined
    },

    dropCopy(name: string): void {
      if (isCopy(name)) rmSync(join(folder, name), { force: true })
    },

    /** Removes copies that a backup has left when it was killed. */
    dropCopies(): void {
      if (!existsSync(folder)) return
      for (const name of readdirSync(folder).filter(isCopy))
        if (Date.now() - statSync(join(folder, name)).mtimeMs > copyMs) rmSync(join(folder, name), { force: true })
    },

    close(): void {
      database?.close()
      database = undefined
      prepared = new Map()
    },
  }
}

export type PersistentContext = ReturnType<typeof openContext>

const inMegabytes = (bytes: number) => `${(bytes / megabyte).toFixed(2)} MB`
const fullSentence = (bytes: number, limit: number) =>
  `The persistent context of this instance is full: with this value it would hold ${inMegabytes(bytes)}, and the limit is ${inMegabytes(limit)}. Nothing was stored. Delete values on the Context page of the instance`
