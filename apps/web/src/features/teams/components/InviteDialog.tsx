import { limits } from '@app/contract/constants'
import { roles } from '@app/contract/roles'
import { useState } from 'react'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { TextLink } from '../../../ui/TextLink.tsx'
import { useSettings, useUser } from '../../account/index.ts'
import { useInvite, useMakeLink } from '../../invitations/index.ts'
import { useRoleTiles } from '../roles.ts'
import { InvitationLink } from './InvitationLink.tsx'

/** Asks people into a team. `full`: its type allows no more; `seats`: how many it allows and are taken. */
export function InviteDialog(props: {
  teamId: string
  full: boolean
  seats?: string | undefined
  onClose: () => void
}) {
  const { teamId, full, seats, onClose } = props
  const settings = useSettings()
  const external = settings?.['team:user:invite:external'] === true
  const [user, setUser] = useState('')
  const [role, setRole] = useState<number>(roles.member)
  const { mutate, isPending, data } = useInvite(teamId)
  const links = useMakeLink(teamId)
  const tiles = useRoleTiles()
  const names = user.split(',').filter((name) => name.trim() !== '')
  const fault = !external && user.includes('@') ? 'Email invitations not available' : faultOf(user, names.length)
  const refused = data && 'error' in data ? data.error : {}
  const ready = !full && names.length > 0 && !fault
  const send = () => {
    if (!ready) return
    mutate(
      { user: user.trim(), role },
      {
        onSuccess(reply) {
          // The invited are done; the others are there to be corrected.
          if ('error' in reply) setUser(namesIn(reply.error))
          else onClose()
        },
      },
    )
  }
  return (
    <Dialog
      open
      onClose={onClose}
      busy={links.isPending}
      title="Invite Member"
      footer={
        <>
          <Button disabled={links.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" disabled={!ready} loading={isPending} onClick={send}>
            Send Invite
          </Button>
        </>
      }
    >
      {full && <Banner kind="warning">This team has as many members and invitations as its type allows.</Banner>}
      {seats !== undefined && <p className="text-muted">{seats} members and invitations used.</p>}
      {!external && <WhyNoMail canMail={Boolean(settings?.email)} />}
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <FormRow
          label="Invite"
          error={fault ?? (user === namesIn(refused) ? whyOf(refused) : undefined)}
          disabled={full}
          help={
            external
              ? 'Up to 5 usernames or addresses, separated by commas.'
              : 'Up to 5 usernames, separated by commas.'
          }
        >
          <Input
            value={user}
            onChange={(event) => setUser(event.target.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </FormRow>
        <FormRow label="Role" group disabled={full}>
          <RadioTiles value={String(role)} onChange={(value) => setRole(Number(value))} tiles={tiles} />
        </FormRow>
      </form>
      <InvitationLink links={links} role={role} disabled={full} />
    </Dialog>
  )
}

const namesIn = (reasons: Record<string, string>) => Object.keys(reasons).join(', ')
const whyOf = (reasons: Record<string, string>) =>
  Object.entries(reasons)
    .map(([name, reason]) => `${name}: ${reason}`)
    .join('; ')

function faultOf(text: string, count: number): string | undefined {
  if (count > limits.invitees) return `At most ${limits.invitees} at a time`
  return text.length > limits.inviteesText ? `At most ${limits.inviteesText.toLocaleString()} characters` : undefined
}

/** Why nobody can be invited by address, and what an administrator can do about it. */
function WhyNoMail({ canMail }: { canMail: boolean }) {
  const { admin } = useUser()
  const why = canMail
    ? 'Inviting by email address is switched off on this platform.'
    : 'This platform cannot send mail. Invite people by username, or copy a link and send it yourself.'
  return (
    <Banner>
      {why}{' '}
      {admin ? (
        <>
          Create accounts under <TextLink to="/admin/users">Admin Settings, Users</TextLink>
          {canMail ? (
            <>
              , or change the <TextLink to="/admin/settings/general">setting</TextLink>
            </>
          ) : null}
          .
        </>
      ) : (
        'An administrator can change this.'
      )}
    </Banner>
  )
}
