import { ApiError, type Client } from '@app/client'
import { setTimeout as pause } from 'node:timers/promises'
import { send } from './request.ts'

/** Something whose value is known up to what happened in calls that were never answered. */
export interface Fact {
  kind: 'team' | 'application' | 'instance' | 'session'
  id: string
  /** Names of teams and applications, wanted states of instances, `alive` for sessions; `gone` for all. */
  possible: Set<string>
}

export const gone = 'gone'

export interface World {
  address: string
  client: Client
  choice: { projectType: string; stack: string; template: string }
  teamType: string
  login: { username: string; password: string }
}

/** Made of a seed, so that a run can be repeated as far as its own choices go. */
export function random(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { next, pick: <T>(list: readonly T[]): T | undefined => list[Math.floor(next() * list.length)] }
}

/** Writes one thing after the other, each its own, and keeps account of what was acknowledged. */
export function createWriter(world: World, seed: number) {
  const { client } = world
  const { next, pick } = random(seed)
  const facts: Fact[] = []
  const faults: string[] = []
  let acknowledged = 0
  let serial = 0
  let stopped = false
  /** An instance that was asked for without an answer: it may be there, and would be started again after each kill. */
  let unanswered: { name: string; applicationId: string } | undefined

  /** The answer; undefined when it was refused or never came. */
  async function attempt<T>(work: () => Promise<T>): Promise<{ answer: T } | { refused: string } | undefined> {
    try {
      const answer = await work()
      acknowledged += 1
      return { answer }
    } catch (error) {
      if (!(error instanceof ApiError)) {
        await pause(30)
        return undefined
      }
      if (error.status >= 500) faults.push(`${error.status} ${error.message}`)
      return { refused: error.code }
    }
  }

  const alive = (kind: Fact['kind']) => facts.filter((fact) => fact.kind === kind && !fact.possible.has(gone))
  const name = (word: string) => `${word}-${seed}-${(serial += 1)}`

  async function make(kind: Fact['kind'], value: string, work: () => Promise<{ id: string }>) {
    const result = await attempt(work)
    if (result && 'answer' in result) facts.push({ kind, id: result.answer.id, possible: new Set([value]) })
    return result
  }
  async function makeInstance(name: string, applicationId: string): Promise<void> {
    const body = { name, applicationId, ...world.choice }
    const result = await make('instance', 'running', () => client.call('instance.create', { body }))
    if (!result) unanswered = { name, applicationId }
  }
  async function look({ name, applicationId }: NonNullable<typeof unanswered>): Promise<void> {
    const result = await attempt(() => client.call('application.instances', { params: { applicationId } }))
    if (!result) return
    unanswered = undefined
    const found = 'answer' in result && result.answer.instances.find((instance) => instance.name === name)
    if (found) facts.push({ kind: 'instance', id: found.id, possible: new Set(['running']) })
  }
  async function change(fact: Fact | undefined, value: string, work: (id: string) => Promise<unknown>): Promise<void> {
    if (!fact) return
    const before = fact.possible
    fact.possible = new Set([...before, value])
    const result = await attempt(() => work(fact.id))
    if (result) fact.possible = 'answer' in result ? new Set([value]) : before
  }

  async function signIn(): Promise<void> {
    const result = await attempt(() => send(world.address, 'POST', '/account/login', { body: world.login }))
    if (!result || !('answer' in result)) return
    const cookie = result.answer.headers.getSetCookie()[0]?.split(';')[0]
    if (result.answer.status === 200 && cookie)
      facts.push({ kind: 'session', id: cookie, possible: new Set(['alive']) })
    // Many sign-ins from one address are refused, which is no fault of the storage.
    else if (result.answer.status !== 429) faults.push(`sign-in answered ${result.answer.status}`)
  }
  const signOut = async (cookie: string) => {
    const { status } = await send(world.address, 'POST', '/account/logout', { headers: { cookie } })
    if (status !== 200) faults.push(`sign-out answered ${status}`)
  }

  async function act(): Promise<unknown> {
    if (unanswered) return look(unanswered)
    const dice = next()
    const [team, application, instance, session] = [
      alive('team'),
      alive('application'),
      alive('instance'),
      alive('session'),
    ].map((list) => pick<Fact>(list))
    if (!team || dice < 0.06) {
      const value = name('team')
      return make('team', value, () =>
        client.call('team.create', { body: { name: value, slug: value, type: world.teamType } }),
      )
    }
    if (dice < 0.18) {
      const value = name('renamed')
      return change(team, value, (teamId) => client.call('team.update', { params: { teamId }, body: { name: value } }))
    }
    if (!application || dice < 0.3) {
      const value = name('application')
      return make('application', value, () =>
        client.call('application.create', { body: { name: value, teamId: team.id } }),
      )
    }
    if (dice < 0.45) {
      const value = name('renamed')
      return change(application, value, (applicationId) =>
        client.call('application.update', { params: { applicationId }, body: { name: value } }),
      )
    }
    if (dice < 0.53)
      return change(application, gone, (applicationId) =>
        client.call('application.delete', { params: { applicationId } }),
      )
    if (!instance || (dice < 0.68 && alive('instance').length < 4))
      return makeInstance(name('instance'), application.id)
    if (dice < 0.74)
      return change(instance, gone, (instanceId) => client.call('instance.delete', { params: { instanceId } }))
    if (dice < 0.82)
      return change(instance, 'suspended', (instanceId) => client.call('instance.suspend', { params: { instanceId } }))
    if (dice < 0.9)
      return change(instance, 'running', (instanceId) => client.call('instance.start', { params: { instanceId } }))
    if (!session || dice < 0.95) return signIn()
    return change(session, gone, signOut)
  }

  return {
    facts,
    faults,
    acknowledged: () => acknowledged,
    stop: () => void (stopped = true),
    async run(): Promise<void> {
      while (!stopped) await act()
    },
  }
}
export type Writer = ReturnType<typeof createWriter>
