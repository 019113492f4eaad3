import type { InstanceType, TeamType, TeamTypePreview } from '@app/contract'
import { useState } from 'react'
import { ApiError, sentenceOf } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { toast } from '../../../ui/toast.ts'
import { useFirstFault } from '../../../ui/use-first-fault.ts'
import { bodyOf, faultsOf, type TypeValues, valuesOf } from '../team-type-form.ts'
import { previewType, useSaveTeamType } from '../team-types.queries.ts'
import { Exceeding } from './Exceeding.tsx'
import { FeatureFields, GeneralFields, LimitFields, PriceFields } from './TeamTypeFields.tsx'

interface Props {
  /** Undefined: a new one. */
  type: TeamType | undefined
  instanceTypes: InstanceType[]
  onClose: () => void
}

/** Makes or changes a team type; mounted while it is open. Teams that would exceed it are shown before it is saved. */
export function TeamTypeDialog({ type, instanceTypes, onClose }: Props) {
  const [values, setValues] = useState(() => valuesOf(type, instanceTypes))
  const [faults, setFaults] = useState<Record<string, string>>({})
  const form = useFirstFault<HTMLFormElement>(faults)
  const [exceeding, setExceeding] = useState<TeamTypePreview>()
  const [isAsking, setAsking] = useState(false)
  const { mutateAsync, isPending } = useSaveTeamType(type?.id)
  const change = (next: Partial<TypeValues>) => {
    setValues((now) => ({ ...now, ...next }))
    setFaults({})
    setExceeding(undefined)
  }

  const refused = (error: unknown) => {
    const fields = error instanceof ApiError ? error.fields : {}
    if (Object.keys(fields).length > 0) setFaults(fields)
    else toast.warning(sentenceOf(error) ?? 'The team type was not saved.')
  }
  const save = async () => {
    const wrong = faultsOf(values)
    if (Object.keys(wrong).length > 0) return setFaults(wrong)
    const body = bodyOf(values, type)
    try {
      if (type && !exceeding) {
        setAsking(true)
        const preview = await previewType(type.id, body.properties).finally(() => setAsking(false))
        if (preview.count > 0) return setExceeding(preview)
      }
      await mutateAsync(body)
      toast.success(type ? 'Team type saved.' : 'Team type created.')
      onClose()
    } catch (error) {
      refused(error)
    }
  }
  const fields = { values, faults, onChange: change }
  const label = type ? (exceeding ? 'Save Anyway' : 'Save') : 'Create'
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={type ? 'Edit Team Type' : 'Create Team Type'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form="team-type"
            variant="primary"
            disabled={values.name.trim() === ''}
            loading={isPending || isAsking}
          >
            {label}
          </Button>
        </>
      }
    >
      <form
        ref={form}
        id="team-type"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <GeneralFields {...fields} />
        <LimitFields {...fields} types={instanceTypes} />
        <FeatureFields {...fields} />
        <PriceFields {...fields} />
        <div aria-live="polite">
          {exceeding && (
            // It stands below the fields, where nobody would see it on a phone.
            <div ref={(notice) => notice?.scrollIntoView({ block: 'center' })}>
              <Exceeding {...exceeding} />
            </div>
          )}
        </div>
      </form>
    </Dialog>
  )
}
