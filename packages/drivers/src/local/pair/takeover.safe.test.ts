import { expect, test } from 'vitest'
import { codeFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { versions } from '../../testing/local.harness.ts'
import { begin } from '../../testing/takeover.harness.ts'
import { until } from '../../testing/until.ts'

test.each(versions)(
  'Node-RED %s: flows in safe mode are in safe mode again after a version that is refused',
  async (version) => {
    const { driver, pair, putFlows, one, id, tryBeside, halfWay, takeOver } = await begin(version)
    const isSafe = async () => {
      expect((await driver.status(id)).state).toBe('safe')
      expect(await driver.flows(id)).toMatchObject({ state: 'stopped', reason: 'safe-mode', nodes: 0 })
      expect((await askInstance(driver.endpoint(id)!, '/do')).status).toBe(404)
    }
    putFlows(id, codeFlow('msg.payload = "old"; return msg'))
    await driver.start({ ...one, again: true, safe: true })
    await until('it is in safe mode', async () => (await driver.status(id)).state === 'safe')
    await isSafe()

    await tryBeside(codeFlow('msg.payload = "new"; return msg'), 'flows')
    await halfWay()
    await pair.giveBack(id)
    await isSafe()

    await tryBeside(codeFlow('msg.payload = "new"; return msg'), 'flows')
    await takeOver()
    expect((await askInstance(driver.endpoint(id)!, '/do')).text).toBe('new')
    await pair.giveBack(id)
    await isSafe()
  },
)
