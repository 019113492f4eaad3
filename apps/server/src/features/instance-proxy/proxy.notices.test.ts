import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from '../../platform/proxy/testing/stage.ts'
import { awayNotice } from './proxy.notices.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())
const away = (name: string, state: string) => (stage.destination = { kind: 'refused', notice: awayNotice(name, state) })

describe('an instance that does not run', () => {
  test.each([
    ['starting', '2', 'oven is starting', true],
    ['restarting', '2', 'oven is restarting', true],
    ['running', '2', 'cannot be reached', true],
    ['suspended', '60', 'oven is suspended', false],
    ['crashed', '60', 'oven has crashed', false],
  ])('a browser reads what its state is: %s', async (state, after, words, reloads) => {
    away('oven', state)
    const text = await stage.ask(['Accept: text/html,*/*'])
    expect(text).toMatch(/^HTTP\/1\.1 503 /)
    expect(text).toContain(`retry-after: ${after}\r\n`)
    expect(text).toContain(words)
    expect(text.includes('http-equiv="refresh" content="2"')).toBe(reloads)
    expect(text).toMatch(/content-security-policy: default-src 'none'; style-src 'sha256-[^']+'; [^\r]*\r\n/)
    expect(text).not.toContain('<script')
  })

  test('a program reads the same as JSON', async () => {
    away('oven', 'suspended')
    const body = JSON.parse((await stage.ask([])).split('\r\n\r\n')[1]!) as object
    expect(body).toMatchObject({ code: 'instance_unavailable', statusCode: 503, state: 'suspended' })
  })

  test('its name cannot write into the page', async () => {
    away('<b>"&', 'suspended')
    expect(await stage.ask(['Accept: text/html'])).toContain('<h1>&#60;b&#62;&#34;&#38; is suspended</h1>')
  })
})
