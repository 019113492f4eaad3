import type { AuditEntry, Instance, Job } from '@app/contract'
import type { StubDriver, StubScript } from '@app/drivers/stub'
import { request } from 'node:http'
import { type TestUser, until } from './build.ts'
import { type Answer, send } from './request.ts'
import type { TestServer } from './server.ts'

export interface Workshop {
  server: TestServer
  owner: TestUser
  application: { id: string }
}

type Action = 'start' | 'stop' | 'restart' | 'suspend'

/** Common steps of tests about instances, on the server and as the owner of that moment. */
export function instanceCalls(at: () => Workshop) {
  let serial = 0
  const params = (instanceId: string) => ({ params: { instanceId } })
  const call = () => at().owner.client
  const calls = {
    script: (): StubScript => (at().server.driver as StubDriver).script,
    read: async (id: string): Promise<Instance> => call().call('instance.get', params(id)),
    /** Resolves with the instance once it shows this state. */
    inState: async (id: string, state: string): Promise<Instance> =>
      until(
        async () => calls.read(id),
        ({ meta }) => meta.state === state,
      ),
    create: async (name = `line-${(serial += 1)}`): Promise<Instance> =>
      at().server.build.instance(at().owner, at().application, name),
    running: async (name?: string): Promise<Instance> => calls.inState((await calls.create(name)).id, 'running'),
    log: async (id: string): Promise<AuditEntry[]> => (await call().call('instance.auditLog', params(id))).log,
    jobs: async (id: string): Promise<Job[]> => (await call().call('instance.jobs', params(id))).jobs,
    /** Resolves with the jobs, newest first, once none is open. */
    settled: async (id: string, deadlineMs?: number): Promise<Job[]> =>
      until(
        async () => calls.jobs(id),
        (all) => all.every(({ state }) => state === 'done' || state === 'failed'),
        deadlineMs,
      ),
    act: async (action: Action, id: string) => call().call(`instance.${action}`, params(id)),
    /** Asks an instance on its own host name, as anybody on the network could. */
    visit: (name: string, path = '/', body?: string, headers = {}): Promise<{ status: number; text: string }> =>
      visit(at().server.config.port, name, { path, body, headers }),
    raw: async (method: string, path: string, body?: unknown): Promise<Answer> =>
      send(at().server.address, method, `/api/v1/projects${path}`, { headers: { cookie: at().owner.cookie }, body }),
  }
  return calls
}

function visit(
  port: number,
  name: string,
  { path, body, headers }: { path: string; body: string | undefined; headers: object },
) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...headers, host: `${name.toLowerCase()}.localhost:${port}` },
        agent: false,
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}
