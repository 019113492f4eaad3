import { expect, test } from 'vitest'
import { openWorkshop, send } from '../../../testing/index.ts'

const { server, raw, read, running, script } = await openWorkshop()

test('modules that Node-RED has installed for functions are listed in the version that lies there', async () => {
  const instance = await running()
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  const modulesOf = async () => (await read(instance.id)).settings.palette?.modules
  async function note(body: object) {
    const { status } = await send(server.address, 'POST', `/storage/${instance.id}/settings`, { headers, body })
    expect(status).toBe(200)
    return modulesOf()
  }
  script().haveModules({ nanoid: '3.3.20', asked: '2.1.0' })
  const modules = {
    nanoid: { spec: 'nanoid@3', module: 'nanoid', version: '3', builtin: false, known: false },
    // Asked for, and not there.
    gone: { spec: 'gone', module: 'gone', builtin: false, known: false },
  }
  const nanoid = { name: 'nanoid', version: '3.3.20', local: true, functions: true }
  expect(await note({ nodes: {}, modules })).toEqual([nanoid])
  // Consoles and programs send the list without what it is for.
  const sent = {
    modules: [
      { name: 'nanoid', version: '3.3.20', local: true },
      { name: 'asked', version: '^2.0.0' },
    ],
  }
  expect((await raw('PUT', `/${instance.id}`, { settings: { palette: sent } })).status).toBe(200)
  const asked = { name: 'asked', version: '^2.0.0', local: false }
  expect(await modulesOf()).toEqual([nanoid, asked])
  // Node-RED notes only what it has installed itself.
  expect(await note({ nodes: {} })).toEqual([asked, nanoid])
})
