import { join } from 'node:path'
import { become } from './become.ts'
import { ensureBuilt } from './build/build.ts'

ensureBuilt()
await become(join(import.meta.dirname, 'serve.mjs'))
