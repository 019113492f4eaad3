import type { Member } from '@app/contract'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { useChangeRole } from '../members.queries.ts'
import { useRoleTiles } from '../roles.ts'

/** Another role for a member. */
export function RoleDialog({ teamId, member, onClose }: { teamId: string; member: Member; onClose: () => void }) {
  const [role, setRole] = useState(member.role)
  const tiles = useRoleTiles()
  const { mutate, isPending } = useChangeRole(teamId)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change Role"
      description={
        <>
          Changes at once what <b className="font-semibold text-ink">{member.name || member.username}</b> may do in this
          team.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={role === member.role}
            loading={isPending}
            onClick={() => mutate({ userId: member.id, role }, { onSuccess: onClose })}
          >
            Change Role
          </Button>
        </>
      }
    >
      <FormRow label="Role" group>
        <RadioTiles value={String(role)} onChange={(value) => setRole(Number(value))} tiles={tiles} />
      </FormRow>
    </Dialog>
  )
}
