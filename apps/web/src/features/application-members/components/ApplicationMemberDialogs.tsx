import type { ApplicationMember } from '@app/contract'
import { mayDiffer, roles } from '@app/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { applicationRoleTiles, ChangeRoleDialog, nameOf, teamMembersQuery, titleOfRole } from '../../teams/index.ts'
import { type Place, useAddApplicationMember, useChangeApplicationRole } from '../application-members.queries.ts'

/** Chooses a member of the team, and their role in the application. `present` have one already. */
export function AddApplicationMemberDialog({
  place,
  present,
  onClose,
}: {
  place: Place
  present: readonly ApplicationMember[]
  onClose: () => void
}) {
  const { data: members = [], isPending: loading } = useQuery(teamMembersQuery(place.teamId))
  const [user, setUser] = useState<string>()
  const [role, setRole] = useState<number>(roles.member)
  const { mutate, isPending } = useAddApplicationMember(place)
  const taken = new Set(present.map(({ id }) => id))
  const free = members.filter(({ id, role: inTeam }) => mayDiffer(inTeam) && !taken.has(id))
  const chosen = free.find(({ id }) => id === user)
  const nobody = !loading && free.length === 0
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add Member"
      description="Gives a member of the team a role in this application, at once."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!chosen}
            loading={isPending}
            onClick={() => chosen && mutate({ user: chosen.id, role, name: nameOf(chosen) }, { onSuccess: onClose })}
          >
            Add Member
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <FormRow
          label="Member"
          disabled={nobody}
          help={
            nobody
              ? 'Everybody in the team has a role here already. Invite people on the Members page of the team.'
              : 'Owners and dashboard-only members of the team cannot have another role here.'
          }
        >
          <Combobox
            value={user}
            onChange={setUser}
            options={free.map((member) => ({
              value: member.id,
              label: nameOf(member),
              note: `${member.username}, ${titleOfRole(member.role)} in the team`,
            }))}
            placeholder="Choose a member..."
            searchLabel="Search members..."
            emptyText="No such member."
          />
        </FormRow>
        <FormRow label="Role in the application" group>
          <RadioTiles value={String(role)} onChange={(value) => setRole(Number(value))} tiles={applicationRoleTiles} />
        </FormRow>
      </div>
    </Dialog>
  )
}

/** Another role in the application for a member of it. */
export function ApplicationRoleDialog({
  place,
  member,
  onClose,
}: {
  place: Place
  member: ApplicationMember
  onClose: () => void
}) {
  const { mutate, isPending } = useChangeApplicationRole(place)
  return (
    <ChangeRoleDialog
      member={member}
      where="in this application"
      label="Role in the application"
      tiles={applicationRoleTiles}
      changing={isPending}
      onChange={(role) => mutate({ userId: member.id, role, name: nameOf(member) }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
