import type { Member } from '@app/contract'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { RadioTiles, type Tile } from '../../../ui/RadioTiles.tsx'
import { useChangeRole } from '../members.queries.ts'
import { nameOf, useRoleTiles } from '../roles.ts'

/** Another role for a member of the team. */
export function RoleDialog({ teamId, member, onClose }: { teamId: string; member: Member; onClose: () => void }) {
  const { mutate, isPending } = useChangeRole(teamId)
  return (
    <ChangeRoleDialog
      member={member}
      where="in this team"
      label="Role"
      tiles={useRoleTiles()}
      changing={isPending}
      onChange={(role) => mutate({ userId: member.id, role }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

/** Chooses another role for somebody, in a team or in an application. */
export function ChangeRoleDialog({
  member,
  where,
  label,
  tiles,
  changing,
  onChange,
  onClose,
}: {
  member: Pick<Member, 'name' | 'username' | 'role'>
  where: string
  label: string
  tiles: Tile[]
  changing: boolean
  onChange: (role: number) => void
  onClose: () => void
}) {
  const [role, setRole] = useState<number>(member.role)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change Role"
      description={
        <>
          Changes at once what <b className="font-semibold text-ink">{nameOf(member)}</b> may do {where}.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={role === member.role} loading={changing} onClick={() => onChange(role)}>
            Change Role
          </Button>
        </>
      }
    >
      <FormRow label={label} group>
        <RadioTiles value={String(role)} onChange={(value) => setRole(Number(value))} tiles={tiles} />
      </FormRow>
    </Dialog>
  )
}
