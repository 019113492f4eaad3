import type { Sweep } from '../../platform/sweeper.ts'
import { deleteExpiredBrowsers } from './browsers.store.ts'
import { deleteEndedLimits } from './limits.store.ts'
import { deleteEndedLinks } from './links.store.ts'
import { sessionLife } from './sessions.service.ts'
import { deleteEndedSessions } from './sessions.store.ts'

/** Sweeps of expired sessions, links, browsers and windows in which tries were counted. */
export const accountSweeps: Sweep[] = [
  (db, now, atMost) => deleteEndedSessions(db, now, now - sessionLife.idle, atMost),
  deleteEndedLinks,
  deleteEndedLimits,
  deleteExpiredBrowsers,
]
