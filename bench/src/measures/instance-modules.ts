import { defaultTemplateSettings } from '@app/contract'
import { until } from '@app/server/testing'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { firstAnswer } from '../answers.ts'
import { median, spread } from '../figures.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import { untilWarm } from '../processes.ts'
import type { Server } from '../server.ts'

/** Ten that people use, 40 packages in all. */
const modules = {
  'node-red-contrib-cron-plus': '1.5.7',
  'node-red-contrib-moment': '4.0.0',
  'node-red-dashboard': '3.6.6',
  'node-red-node-base64': '1.0.0',
  'node-red-node-ping': '0.3.3',
  'node-red-node-random': '0.4.1',
  'node-red-node-rbe': '0.5.0',
  'node-red-node-smooth': '0.1.2',
  'node-red-node-suncalc': '1.2.0',
  'node-red-node-tail': '0.4.0',
}

interface Times {
  /** Seconds from the request to create it until its first 200. */
  answer: number
  /** Seconds of that for the step that installs modules. */
  install: number
}

/** The cost of ten modules for the first instance that has them, and for every further one. */
export const instanceModules: Measure = async (context) => {
  const rounds = context.quick ? 1 : 7
  const without = await create(context, 'plain', rounds)
  listModules(context, modules)
  const [first, ...further] = await create(context, 'with', rounds + 1)
  const copies = await create(context, 'copy', rounds, true)
  listModules(context, {})
  const answers = (times: Times[]) => times.map(({ answer }) => answer)
  const installs = further.map(({ install }) => install)
  const data = `Node-RED 5.0.7 with ${Object.keys(modules).length} modules, no warm process`
  const measured = 'from POST /api/v1/projects to the first 200 on its socket'
  return [
    {
      name: 'create without modules',
      value: median(answers(without)),
      unit: 's',
      measured,
      data: 'Node-RED 5.0.7, no warm process',
      note: spread(answers(without)),
    },
    { name: 'create with 10 modules, the first', value: first!.answer, unit: 's', measured, data },
    {
      name: 'create with 10 modules, a further one',
      value: median(answers(further)),
      unit: 's',
      target: { is: 'at most', value: Number(median(answers(without)).toFixed(2)) },
      measured,
      data,
      note: `${spread(answers(further))}; the target is the figure without modules, and in this time Node-RED loads them`,
    },
    {
      name: 'duplicate with 10 modules',
      value: median(answers(copies)),
      unit: 's',
      target: { is: 'below', value: 1 },
      measured: 'from POST /api/v1/projects with sourceProject to the first 200 on its socket',
      data: data.replace('no warm process', 'a warm process waiting'),
      note: spread(answers(copies)),
    },
    {
      name: 'of it, installing modules',
      value: median(installs) * 1000,
      unit: 'ms',
      target: { is: 'at most', value: 100 },
      measured: 'the step of the job, from its start to its end',
      data,
      note: spread(installs.map((seconds) => seconds * 1000)),
    },
  ]
}

/** Puts modules into the template of all instances; no server may run. */
function listModules({ home }: Context, list: Record<string, string>): void {
  const listed = Object.entries(list).map(([name, version]) => ({ name, version, local: false }))
  const palette = { ...defaultTemplateSettings.palette, modules: listed }
  const database = new DatabaseSync(join(home, 'forge.db'))
  database.prepare('update templates set settings = ?').run(JSON.stringify({ ...defaultTemplateSettings, palette }))
  database.close()
}

/** Creates instances one after the other, each gone before the next; `copies`: of one that is there. */
function create(context: Context, prefix: string, count: number, copies = false): Promise<Times[]> {
  return withServer(
    context,
    async (server, cookie) => {
      const times: Times[] = []
      const source = copies ? await made(context, server, cookie, `${prefix}-source`) : undefined
      for (let i = 0; i < count; i++) {
        if (copies) await untilWarm(context.home, 1)
        const one = await made(context, server, cookie, `${prefix}-${i}`, source?.id)
        await remove(server, cookie, one.id)
        times.push(one)
      }
      if (source) await remove(server, cookie, source.id)
      return times
    },
    copies ? {} : { FORGE_WARM_PROCESSES: '0' },
  )
}

const remove = (server: Server, cookie: string, id: string) =>
  server.client(cookie).call('instance.delete', { params: { instanceId: id } })

/** Creates an instance and waits until it runs. @throws Error with its last operation when it does not answer. */
async function made(context: Context, server: Server, cookie: string, name: string, source?: string) {
  const { applicationId, choice } = context.data
  const client = server.client(cookie)
  const started = performance.now()
  const copy = source ? { sourceProject: { id: source, options: {} } } : {}
  const { id } = await client.call('instance.create', { body: { name, applicationId, ...choice, ...copy } })
  const jobs = () => client.call('instance.jobs', { params: { instanceId: id } }).then((reply) => reply.jobs)
  const answered = await firstAnswer(context.home, id).catch(async (error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify((await jobs())[0])}`)
  })
  const answer = (answered.at - started) / 1000
  const [job] = await until(jobs, ([one]) => one?.state === 'done')
  const step = job!.steps.find((one) => one.name === 'Install modules')!
  const install = (Date.parse(step.endedAt!) - Date.parse(step.startedAt!)) / 1000
  return { id, answer, install }
}
