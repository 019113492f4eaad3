// Without TypeScript: a server would keep for ever what Node.js loads to read it, 10 MB.
import { join } from 'node:path'
import { loadLean } from '../apps/server/dist/start.js'

await loadLean(join(import.meta.dirname, '../.cache/compile'), () => import('../apps/server/dist/main.js'))
