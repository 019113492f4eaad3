import { roles } from '@app/contract/roles'
import { useState } from 'react'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { useSettings } from '../../account/index.ts'
import { useInvite } from '../members.queries.ts'
import { roleTiles } from '../roles.ts'

/** Asks people into a team. `full`: the type of the team allows no more. */
export function InviteDialog(props: { teamId: string; full: boolean; onClose: () => void }) {
  const { teamId, full, onClose } = props
  const external = useSettings()?.['team:user:invite:external'] === true
  const [user, setUser] = useState('')
  const [role, setRole] = useState<number>(roles.member)
  const { mutate, isPending } = useInvite(teamId)
  const fault = !external && user.includes('@') ? 'Email invitations not available' : undefined
  const ready = !full && user.trim() !== '' && !fault
  const send = () => {
    if (ready) mutate({ user: user.trim(), role }, { onSuccess: onClose })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Invite Member"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={!ready} loading={isPending} onClick={send}>
            Send Invite
          </Button>
        </>
      }
    >
      {full && <Banner kind="warning">This team has as many members and invitations as its type allows.</Banner>}
      <form
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <FormRow
          label="Who"
          error={fault}
          disabled={full}
          help={
            external
              ? 'User names or addresses, up to 5, with commas between.'
              : 'User names, up to 5, with commas between.'
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
          <RadioTiles value={String(role)} onChange={(value) => setRole(Number(value))} tiles={roleTiles} />
        </FormRow>
      </form>
    </Dialog>
  )
}
