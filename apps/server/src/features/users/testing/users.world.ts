import { openMailServer, openServer, send, type TestUser } from '../../../../testing/index.ts'

/** A server that sends mails, with its administrator, who makes the calls unless another person is named. */
export async function openUsers() {
  const mails = await openMailServer()
  const server = await openServer({ config: { mail: mails.mail } })
  const admin = await server.build.user({ admin: true })
  const call = (method: string, path: string, body?: unknown, as: TestUser = admin) =>
    send(server.address, method, path, { headers: { cookie: as.cookie }, body })
  return { mails, server, admin, call }
}
