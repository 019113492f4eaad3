import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
setFlagsFromString('--semi-space-growth-factor=1')
enableCompileCache('/tmp/bprof/ccb')
await import('../apps/server/src/main.ts')
setFlagsFromString('--semi-space-growth-factor=2')
