import { clientWith } from './outside.ts'
import type { TeamRole } from '@app/contract'
import type { Client } from '@app/client'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

export interface Person {
  id: string
  username: string
  /** `name=value` of an open session. */
  cookie: string
  client: Client
}
export type People = ReturnType<typeof createPeople>

/** Changes that no screen offers yet are written into the running server's database. */
export function createPeople(home: string, address: string) {
  let serial = 0
  function write(sql: string, ...values: SQLInputValue[]): void {
    const file = readdirSync(home).find((name) => /\.(db|sqlite)$/.test(name))
    if (!file) throw new Error(`There is no database in ${home}`)
    const database = new DatabaseSync(join(home, file))
    try {
      database.exec('pragma busy_timeout = 5000')
      database.prepare(sql).run(...values)
    } finally {
      database.close()
    }
  }

  const people = {
    /** Signs in by name and password over HTTP. */
    async signIn(username: string, password: string): Promise<Person> {
      const reply = await fetch(`${address}/account/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password }),
      })
      const cookie = reply.headers.getSetCookie()[0]?.split(';')[0]
      if (!reply.ok || !cookie) throw new Error(`${username} could not sign in: ${reply.status} ${await reply.text()}`)
      const client = clientWith(address, cookie)
      const { id } = await client.call('account.get')
      return { id, username, cookie, client }
    },

    /** Adds a verified person who has the administrator's password, with a role in a team if one is given. */
    add(username: string, membership?: { teamId: string; role: TeamRole }): string {
      // As the ids of the server they sort by creation, which lists go by.
      const time = Date.now().toString(32).padStart(9, '0')
      const id = `${time}${(serial += 1).toString(32).padStart(3, '0')}${randomBytes(4).toString('hex')}`
      const email = `${username}@example.com`
      write(
        `insert into users (id, username, username_key, name, email, email_key, password_hash, admin, email_verified,
           suspended, password_expired, created_at, updated_at)
         select ?, ?, ?, ?, ?, ?, password_hash, 0, 1, 0, 0, ?, ? from users where admin = 1 limit 1`,
        id,
        username,
        username,
        nameOf(username),
        email,
        email,
        Date.now(),
        Date.now(),
      )
      if (membership) {
        write(
          'insert into team_members (team_id, user_id, role, created_at) values (?, ?, ?, ?)',
          membership.teamId,
          id,
          membership.role,
          Date.now(),
        )
      }
      return id
    },

    /** Sets columns of a person. */
    change(username: string, column: 'password_expired' | 'email_verified', value: 0 | 1): void {
      write(`update users set ${column} = ? where username = ?`, value, username)
    },

    /** Makes the sessions of a person old: more is asked of them than of fresh ones. */
    age(username: string): void {
      write('update sessions set proven_at = 0 where user_id = (select id from users where username = ?)', username)
    },

    /** Makes the trial of a team end so many milliseconds from now. */
    endTrial(teamId: string, inMs: number): void {
      write('update subscriptions set trial_ends_at = ? where team_id = ?', Date.now() + inMs, teamId)
    },

    /** Repeats the newest entry of an audit log, as if this person had done the same so many times more. */
    repeatEntry(scopeId: string, username: string, times: number): void {
      write(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
         insert into audit_log
           (created_at, event, scope_type, scope_id, trigger_id, trigger_type, trigger_name, username, address, body)
         select last.created_at, event, scope_type, scope_id, users.id, 'user', users.username, users.username, address, body
         from audit_log last join users on users.username = ? join n
         where last.id = (select max(id) from audit_log where scope_id = ?)`,
        times,
        username,
        scopeId,
      )
    },

    /** Sets a setting of the platform; it counts from the next start of the server if that caches it. */
    set(key: string, value: unknown): void {
      write(
        'insert into settings (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
        key,
        JSON.stringify(value),
      )
    },
  }
  return people
}

function nameOf(username: string): string {
  return `${username.charAt(0).toUpperCase()}${username.slice(1)} Example`
}
