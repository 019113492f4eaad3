import type { TableShape } from '../../platform/db/snapshot.ts'

/**
 * Tables whose rows are no part of a back-up: what signs somebody in for a while, what is counted for minutes, and mail
 * that the former platform has sent in the meantime. `migrations` is written by itself.
 */
export const leftOut: ReadonlySet<string> = new Set([
  'migrations',
  'instance_host',
  'servers',
  'sessions',
  'sign_in_steps',
  'passkey_challenges',
  'rate_limits',
  'oauth_requests',
  'account_links',
  'mails',
  'backup_records',
])

type Row = Record<string, unknown>

/** Rows that are left out of, or changed in, a back-up: what is true only of the machine and the moment it is made. */
const carried: Record<string, (row: Row) => Row | undefined> = {
  // A restored instance gets a token of its own when it is started, and people sign in to its editor again.
  tokens: (row) => (row.kind === 'instance' || row.kind === 'editor' ? undefined : row),
  // What was under way is not: the instance is brought to what is wanted of it when the server starts.
  jobs: (row) => (row.state === 'queued' || row.state === 'running' ? undefined : row),
  instances: (row) => ({
    ...row,
    in_flight: null,
    in_flight_until: 0,
    observed: 'stopped',
    restart: null,
    members: null,
    open_editors: null,
    access: null,
  }),
  // Whether Node-RED is installed is found out where it is restored.
  stacks: (row) => ({ ...row, state: 'waiting', reason: null }),
}

/** The rows of a table as a back-up holds them, with the values in the order of the columns. */
export function carry({ name, columns }: TableShape, rows: unknown[][]): unknown[][] {
  const change = carried[name]
  if (!change) return rows
  return rows.flatMap((values) => {
    const row = change(Object.fromEntries(columns.map((column, at) => [column, values[at]])))
    return row ? [columns.map((column) => row[column])] : []
  })
}
