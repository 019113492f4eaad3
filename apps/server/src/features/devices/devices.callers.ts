import { roles } from '@app/contract'
import type { Program } from '../../platform/authz/actor.ts'
import { type Asked, type CallerRules, checkScopeInTeam } from '../../platform/authz/callers.ts'
import { fail } from '../../platform/http/failure.ts'

declare module '../../platform/authz/actor.ts' {
  interface Programs {
    /** The agent on a device. */
    device: { deviceId: string; teamId: string }
    /** An agent that registers a device, by the token of a team for that. */
    provisioning: { tokenId: string; name: string; teamId: string }
    /** An agent that fetches new credentials for its device, by a one-time code; `code` is its hash. */
    setup: { code: string; deviceId: string; teamId: string }
  }
}

/** An agent asks again later, where it would remove its flows on 401. */
const unknownDevice = () => fail('device_unknown', undefined, { retryAfter: 60 })

const device: CallerRules<'device'> = {
  admit(actor, { deviceId }) {
    if (actor.kind === 'anonymous' && actor.unknown === 'device') throw unknownDevice()
    if (actor.kind !== 'device' || actor.deviceId !== deviceId) throw fail('unauthorized')
  },
  judge(actor, asked) {
    // Its nodes choose an instance of the team to talk to.
    checkScopeInTeam(actor, ['team:projects:list'], asked)
    return roles.viewer
  },
}

/** An agent that is not registered yet may become a device of its team, and nothing else. */
function mayRegister({ teamId }: Program<'provisioning' | 'setup'>, { scope, target, loaded }: Asked): number {
  const inTeam = target !== 'platform' && target !== 'self'
  const own = inTeam && loaded?.teamId === teamId
  // An agent that names another team is told that its token is wrong (docs/specification/protocol-devices.md).
  if (inTeam && !own) throw fail(scope === 'device:create' ? 'unauthorized' : 'not_found')
  if (!own || target !== 'team' || scope !== 'device:create') throw fail('unauthorized', undefined, { status: 403 })
  return roles.none
}

/** The rules of agents, by the token they come with. */
export const deviceCallers = {
  device,
  provisioning: { judge: mayRegister },
  // Such an agent does not know its team.
  setup: { judge: mayRegister, names: ({ teamId }) => ({ team: teamId }) },
} satisfies { [K in 'device' | 'provisioning' | 'setup']: CallerRules<K> }
