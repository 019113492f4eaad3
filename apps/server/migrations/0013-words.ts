import { type Kysely, sql } from 'kysely'
import type { Database } from '../src/platform/db/database.ts'
import type { Tx } from '../src/platform/db/tables.ts'
import { addWords } from '../src/platform/db/words.ts'

/** The words by which users and teams are found, compared byte by byte on both databases. */
export async function up(db: Kysely<unknown>, kind: Database['kind']): Promise<void> {
  const text = sql.raw(kind === 'postgres' ? 'text collate "C"' : 'text')
  await sql`create table user_words (
    user_id text not null references users (id) on delete cascade, word ${text} not null, primary key (user_id, word))`.execute(
    db,
  )
  await sql`create index user_words_word on user_words (word, user_id)`.execute(db)
  await sql`create table team_words (
    team_id text not null references teams (id) on delete cascade, word ${text} not null, primary key (team_id, word))`.execute(
    db,
  )
  await sql`create index team_words_word on team_words (word, team_id)`.execute(db)

  const tx = db as unknown as Tx
  for (const { id, username, name, email } of await tx
    .selectFrom('users')
    .select(['id', 'username', 'name', 'email'])
    .execute())
    await addWords(tx, { table: 'user_words', id: 'user_id' }, id, [username, name, email])
  for (const { id, name, slug } of await tx.selectFrom('teams').select(['id', 'name', 'slug']).execute())
    await addWords(tx, { table: 'team_words', id: 'team_id' }, id, [name, slug, id])
}
