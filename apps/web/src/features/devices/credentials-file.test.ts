import { expect, test } from 'vitest'
import { credentialsFile, fileName } from './credentials-file.ts'

test('[DEV-51] [DEV-52] the file of a device has the name and the lines that its agent looks for', () => {
  expect(fileName('1k7v')).toBe('device-1k7v.yml')
  expect(credentialsFile('1k7v', { token: 'ffd_a', credentialSecret: '5f2c' }, 'https://forge.example.com')).toBe(
    'deviceId: 1k7v\ntoken: ffd_a\ncredentialSecret: 5f2c\nforgeURL: https://forge.example.com\n',
  )
})

test('[DEV-51] with a broker the file names it, too', () => {
  const broker = { url: 'wss://forge.example.com/mqtt', username: 'device:t:1k7v', password: 'ffbd_a' }
  expect(
    credentialsFile('1k7v', { token: 'ffd_a', credentialSecret: '5f2c', broker }, 'https://forge.example.com'),
  ).toBe(
    'deviceId: 1k7v\ntoken: ffd_a\ncredentialSecret: 5f2c\nforgeURL: https://forge.example.com\nbrokerURL: wss://forge.example.com/mqtt\nbrokerUsername: device:t:1k7v\nbrokerPassword: ffbd_a\n',
  )
})
