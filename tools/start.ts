// First: nothing else is worth loading twice.
import './malloc.ts'
import { join } from 'node:path'
import { loadLean } from '../apps/server/src/cli/start.ts'
import { ensureBuilt } from './build/build.ts'

ensureBuilt()
await loadLean(
  join(import.meta.dirname, '../.cache/compile'),
  () => import(new URL('../apps/server/dist/main.js', import.meta.url).href),
)
