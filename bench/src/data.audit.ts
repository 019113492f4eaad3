import { DatabaseSync } from 'node:sqlite'

export interface AuditFill {
  rows: number
  /** Number of the rows that belong to `team`; the rest is shared out among `others`. */
  own: number
  team: string
  others: readonly string[]
  user: { id: string; username: string }
}

const events = [
  'application.created',
  'application.updated',
  'project.created',
  'project.deleted',
  'team.settings.updated',
]

/** Appends entries of many teams in turn, as a log grows, in one transaction, and counts them as the server does. */
export function fillAuditLog(file: string, { rows, own, team, others, user }: AuditFill): void {
  const db = new DatabaseSync(file)
  const insert = db.prepare(
    `insert into audit_log (created_at, event, scope_type, scope_id, trigger_id, trigger_type, trigger_name, username, address, body)
     values (?, ?, 'team', ?, ?, 'user', ?, ?, '127.0.0.1', ?)`,
  )
  const start = Date.now() - rows * 1000
  const every = rows / own
  db.exec('begin')
  let written = 0
  for (let i = 0; i < rows; i++) {
    const ours = written < own && i >= written * every
    if (ours) written += 1
    const scope = ours || others.length === 0 ? team : others[i % others.length]!
    const event = events[i % events.length]!
    insert.run(start + i * 1000, event, scope, user.id, user.username, user.username, body(i, scope))
  }
  db.exec(
    `delete from audit_counts;
     insert into audit_counts (scope_type, scope_id, event, count)
     select scope_type, scope_id, event, count(*) from audit_log group by scope_type, scope_id, event;
     commit;
     pragma wal_checkpoint(truncate)`,
  )
  db.close()
}

/** The body of most entries: the team and the object they concern. */
function body(i: number, team: string): string {
  const id = `01900000-0000-7000-8000-${String(i).padStart(12, '0')}`
  return JSON.stringify({ team: { id: team, name: 'Team 1', slug: 'team-1' }, project: { id, name: `instance-${i}` } })
}
