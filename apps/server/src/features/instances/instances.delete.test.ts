import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openStream, openWorkshop, send, type Stream } from '../../../testing/index.ts'

let stream: Stream

const { server, owner, team, act, create, inState, log, raw, read, running, script } = await openWorkshop()
beforeEach(async () => {
  stream?.close()
  stream = await openStream(server.address, { cookie: owner.cookie })
})
afterAll(async () => {
  stream.close()
})

describe('deleting', () => {
  const rows = async (id: string) => {
    const { read } = server.app.database
    const counts = await Promise.all([
      read.selectFrom('instances').select('id').where('id', '=', id).execute(),
      read.selectFrom('jobs').select('id').where('subject', '=', id).execute(),
      read.selectFrom('tokens').select('id').where('instance_id', '=', id).execute(),
      read.selectFrom('instance_storage').select('kind').where('instance_id', '=', id).execute(),
      read.selectFrom('editor_sign_ins').select('id').where('instance_id', '=', id).execute(),
      read.selectFrom('flow_versions').select('id').where('instance_id', '=', id).execute(),
    ])
    return counts.map((list) => list.length)
  }

  test.each(['running', 'suspended', 'crashed'])(
    '[API-74] [INST-80] a %s instance leaves no process and no token, and in the end no row, job or stored value',
    async (state) => {
      const { id, name } = await running()
      const token = await server.build.instanceToken(await read(id))
      await send(server.address, 'POST', `/storage/${id}/flows`, {
        headers: { authorization: `Bearer ${token}` },
        body: [{ id: 'x' }],
      })
      if (state === 'suspended') await act('suspend', id)
      if (state === 'crashed') script().crash(id)
      await inState(id, state)
      expect(await owner.client.call('instance.delete', { params: { instanceId: id } })).toEqual({ status: 'okay' })
      // Its contents are kept for its return, but nothing that runs, and no token of it.
      expect(await rows(id)).toEqual([1, 0, 0, 1, 0, 1])
      expect((await server.driver.status(id)).state).toBe('stopped')
      expect(script().calls).not.toContainEqual({ operation: 'remove', id })
      await stream.heard((event) => event.type === 'instance.deleted' && event.id === id)
      expect(
        (await send(server.address, 'GET', `/storage/${id}/flows`, { headers: { authorization: `Bearer ${token}` } }))
          .status,
      ).toBe(401)
      await expect(read(id)).rejects.toMatchObject({ status: 404 })
      const { log: ofTeam } = await owner.client.call('team.auditLog', { params: { teamId: team.id } })
      expect(ofTeam[0]).toMatchObject({
        event: 'project.deleted',
        username: owner.username,
        body: { project: { id, name } },
      })
      expect((await create(name)).name).toBe(name)

      expect(await removeNow(id)).toMatchObject({ status: 200, json: { status: 'okay' } })
      expect(await rows(id)).toEqual([0, 0, 0, 0, 0, 0])
      expect(await server.driver.adopt()).not.toContain(id)
      expect(script().calls).toContainEqual({ operation: 'remove', id })
    },
  )

  const removeNow = (id: string) =>
    send(server.address, 'DELETE', `/api/v1/teams/${team.id}/deleted-projects/${id}`, {
      headers: { cookie: owner.cookie },
    })

  test('[INST-55] a delete that fails leaves the instance, says why, and can be tried again', async () => {
    const { id } = await running()
    script().failNext('stop')
    const failed = await raw('DELETE', `/${id}`)
    expect(failed.json).toMatchObject({ statusCode: 500, message: 'It failed because the test said so' })
    expect((await read(id)).meta).toMatchObject({ state: 'running', reason: 'It failed because the test said so' })
    expect((await log(id)).map(({ event }) => event)).not.toContain('project.deleted')
    await owner.client.call('instance.delete', { params: { instanceId: id } })
    script().failNext('remove')
    expect((await removeNow(id)).json).toMatchObject({ message: 'It failed because the test said so' })
    expect((await removeNow(id)).status).toBe(200)
    expect(await rows(id)).toEqual([0, 0, 0, 0, 0, 0])
  })

  test('one of ten deletes at once deletes, and the others are told', async () => {
    const { id } = await running()
    const calls = Array.from({ length: 10 }, async () => raw('DELETE', `/${id}`))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.every((status) => [200, 404, 409].includes(status))).toBe(true)
  })
})
