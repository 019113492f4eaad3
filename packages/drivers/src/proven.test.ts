import { linkTls } from '@app/contract/instance-link.constants'
import { createServer, type Server } from 'node:tls'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connectProven, proofOf } from './proven.ts'

const token = 'the token of a launch'

/** A process of somebody else at the address of an instance that has ended; what it hears of a cookie sent there. */
async function heardBy(server: Server): Promise<string> {
  let heard = ''
  server.on('secureConnection', (socket) => socket.on('error', () => {}).on('data', (part) => (heard += part)))
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const socket = connectProven({ host: '127.0.0.1', port, proof: proofOf(token, 'http') }, 'http')
  socket.write('cookie: sid=secret')
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve))
  expect([error.syscall, error.code]).toEqual(['connect', 'ECONNREFUSED'])
  return heard
}

test('a process that has the key of another launch gets nothing', async () => {
  const psk = Buffer.from(proofOf('another launch', 'http'), 'base64url')
  expect(await heardBy(createServer({ ...linkTls, pskCallback: () => psk }))).toBe('')
})

test('a process without any key gets nothing', async () => {
  expect(await heardBy(createServer({}))).toBe('')
})

test('the keys of a launch differ by channel, and each is the same whenever it is asked for', () => {
  expect(proofOf(token, 'http')).not.toBe(proofOf(token, 'control'))
  expect(proofOf(token, 'http')).toBe(proofOf(token, 'http'))
  expect(Buffer.from(proofOf(token, 'http'), 'base64url')).toHaveLength(32)
})
