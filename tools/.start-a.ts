import { enableCompileCache } from 'node:module'
enableCompileCache('/tmp/bprof/cca')
await import('../apps/server/src/main.ts')
