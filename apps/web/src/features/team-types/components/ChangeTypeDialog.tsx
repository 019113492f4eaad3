import type { Team } from '@app/contract'
import { teamTypePrice } from '@app/contract/team-types'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { RadioTiles } from '../../../ui/RadioTiles.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { exceededText } from '../quota-text.ts'
import { exceededIn } from '../exceeded.ts'
import { quotasQuery } from '../quotas.queries.ts'
import { allTeamTypesQuery, useChangeTeamType } from '../team-types.queries.ts'

/** The types come after the window has opened, which has only its buttons until then. */
const focusChosen = (group: HTMLDivElement | null) =>
  group?.querySelector<HTMLElement>('[role=radio][aria-checked=true]')?.focus()

/** Gives a team another type; says beforehand what the team has more of than it allows. */
export function ChangeTypeDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const [chosen, setChosen] = useState(team.type.id)
  const { data: all, error, refetch } = useQuery(allTeamTypesQuery)
  const isOther = chosen !== team.type.id
  const { data: quotas } = useQuery({ ...quotasQuery(team.id, chosen), enabled: isOther })
  const { mutate, isPending } = useChangeTeamType(team.id)
  const exceeds = isOther && quotas ? exceededIn(quotas) : []
  const types = all?.filter(({ active, id }) => active || id === team.type.id)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change Team Type"
      description={
        <>
          The limits and features of <b className="font-semibold text-ink">{team.name}</b>.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!isOther || !quotas}
            loading={isPending}
            onClick={() => mutate(chosen, { onSuccess: onClose })}
          >
            Change Type
          </Button>
        </>
      }
    >
      {error && !types && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !types && <SkeletonCard rows={2} />}
      {types && (
        <FormRow label="Team type" group>
          <RadioTiles
            ref={focusChosen}
            value={chosen}
            onChange={setChosen}
            tiles={types.map((type) => ({ value: type.id, title: type.name, note: teamTypePrice(type).billingPrice }))}
          />
        </FormRow>
      )}
      <div aria-live="polite">
        {exceeds.length > 0 && (
          <Banner kind="warning">
            The team has {exceeds.map(exceededText).join(', ')}. Nothing stops, but nothing can be added until there is
            room again.
          </Banner>
        )}
      </div>
    </Dialog>
  )
}
