/**
 * Importing node:http as a module reads all its properties. Three of them load the whole of `fetch` when they are read,
 * 7 MB for names that exist as globals too. Hidden, they are read by whoever asks for them. Imported before node:http.
 */
const http = process.getBuiltinModule('node:http')
for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent'])
  if (Object.getOwnPropertyDescriptor(http, name)?.configurable)
    Object.defineProperty(http, name, { enumerable: false })
