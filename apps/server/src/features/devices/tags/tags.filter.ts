import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { contains } from '../../../platform/db/like.ts'

/** The tags of the row `device` of a query, joined by spaces in no order; null: it has none. */
export const joinedTags = sql<string | null>`(
  select string_agg(tagged.tag, ' ') from device_tags as tagged where tagged.device_id = device.id)`

/** The tags that `joinedTags` read, in the order of the alphabet. */
export const splitTags = (joined: string | null): string[] => joined?.split(' ').toSorted() ?? []

/** Does the row `device` of a query have this tag? */
export const hasTag = (tag: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from device_tags as tagged where tagged.device_id = device.id and tagged.tag = ${tag})`

/** Does a tag of the row `device` of a query contain this text? */
export const hasTagLike = (text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from device_tags as tagged
    where tagged.device_id = device.id and ${contains(sql.ref<string>('tagged.tag'), text)})`
