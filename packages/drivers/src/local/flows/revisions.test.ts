import { describe, expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, versions } from '../../testing/local.harness.ts'
import { replaced } from '../../testing/platform.double.ts'
import { until } from '../../testing/until.ts'

const answering = (text: string, more: object = {}) => [
  { id: 'tab', type: 'tab', label: text },
  { id: 'in', z: 'tab', type: 'http in', url: '/hello', method: 'get', wires: [['fn']] },
  { id: 'fn', z: 'tab', type: 'function', func: `msg.payload = "${text}"; return msg`, outputs: 1, wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [], ...more },
]

describe.each(versions)('deploys to Node-RED %s', (version) => {
  test('what began from flows that are no longer there is refused, kept, and runs nowhere', async () => {
    const local = await openLocal()
    onTestFinished(() => local.close())
    const { platform, run } = local
    const { id, endpoint } = await run(version)
    const headers = { ...bearer(await signIn(endpoint)), 'Node-RED-API-Version': 'v2' }
    const load = async () => JSON.parse((await askInstance(endpoint, '/flows', { headers })).text) as { rev: string }
    const deploy = (flows: object[], rev?: string) =>
      askInstance(endpoint, '/flows', { body: { flows, ...(rev === undefined ? {} : { rev }) }, headers })
    const answer = async (wanted: string) =>
      until(`the flow answers ${wanted}`, async () => (await askInstance(endpoint, '/hello')).text === wanted)

    // Two editors open on the same flows: Node-RED itself refuses the second, and the platform keeps what it held.
    const { rev } = await load()
    expect((await deploy(answering('first'), rev)).status).toBe(200)
    await answer('first')
    const late = await deploy(answering('late', { credentials: { password: 'rye-42' } }), rev)
    expect([late.status, JSON.parse(late.text)]).toEqual([409, expect.objectContaining({ code: 'version_mismatch' })])
    await until('the refused flows are kept', () => platform.refused.length === 1)
    expect(platform.refused[0]).toEqual({ instance: id, flows: answering('late'), user: 'user-of-alice' })
    // A person who looked at both may deploy over the first.
    expect((await deploy(answering('merged'), (await load()).rev)).status).toBe(200)

    // The platform replaces the flows under an open editor: what is deployed next does not undo that.
    platform.stored.set(`${id}/flows`, answering('imported'))
    const secret = { id: 'mq', type: 'mqtt-broker', credentials: { user: 'baker', password: 'rye-42' } }
    const stale = await deploy([...answering('stale'), secret], (await load()).rev)
    expect([stale.status, stale.text]).toEqual([400, replaced])
    expect(platform.stored.get(`${id}/flows`)).toEqual(answering('imported'))
    expect(platform.stored.get(`${id}/credentials`)).toBeUndefined()
    expect(platform.refused[1]).toMatchObject({ instance: id, user: 'user-of-alice' })
    expect(JSON.stringify(platform.refused)).not.toContain('rye-42')
    await answer('merged')

    // Once they are loaded, one may go on from them.
    const type = { 'Node-RED-Deployment-Type': 'reload' }
    await askInstance(endpoint, '/flows', { body: {}, headers: { ...headers, ...type } })
    await answer('imported')
    expect((await deploy([...answering('last'), secret], (await load()).rev)).status).toBe(200)
    await answer('last')
    expect(platform.stored.get(`${id}/credentials`)).toMatchObject({ $: expect.any(String) as string })
  })
})
