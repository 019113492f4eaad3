/**
 * Importing node:http as a module reads all its properties. Three of them load the whole of `fetch` when they are read:
 * 6 MB and a tenth of a start in every instance, for names that exist as globals too. Hidden, they are read by whoever
 * asks for them. This comes before anything that imports node:http, so it is alone in this file.
 */
const http = process.getBuiltinModule('node:http')
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent'])
  if (Object.getOwnPropertyDescriptor(http, name)?.configurable)
    Object.defineProperty(http, name, { enumerable: false })

await import('./instance.ts')

export {}
