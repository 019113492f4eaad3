import type { DatabaseSync } from 'node:sqlite'

/**
 * Lets what is read in one turn of the event loop share a transaction, which ends with the turn or before the first that
 * is more than a read. SQLite takes and gives back its locks for each read by itself otherwise: 6.5 of 7.2 µs.
 */
export function createReads(db: DatabaseSync) {
  const [begin, commit] = [db.prepare('begin'), db.prepare('commit')]
  let isOpen = false
  let isEnding = false

  function end(): void {
    if (!isOpen) return
    isOpen = false
    // SQLite gives one up by itself when a read fails.
    if (db.isTransaction) commit.run()
  }

  return {
    end,
    /** Has somebody else a transaction open? */
    isTaken: (): boolean => db.isTransaction && !isOpen,
    /** To be called before a read, while nobody else has a transaction open. */
    share(): void {
      if (isOpen) return
      begin.run()
      isOpen = true
      if (isEnding) return
      isEnding = true
      setImmediate(() => {
        isEnding = false
        end()
      })
    },
  }
}
