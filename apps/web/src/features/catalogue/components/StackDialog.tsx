import { StackName, type Stack } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/toast.ts'
import { useSettings } from '../../account/index.ts'
import { allTypesQuery, useSaveStack } from '../catalogue.admin.queries.ts'
import { fieldFaults, warn } from '../failures.ts'
import { propertyFaults, propertyTexts } from '../stack-properties.ts'

export type StackTask = { kind: 'create' } | { kind: 'edit' | 'version'; stack: Stack }
const titles = { create: 'Create stack', edit: 'Edit Properties', version: 'Create New Version' }

/** Makes or changes a stack, or makes a new version of one; mounted while it is open. */
export function StackDialog({ task, onClose }: { task: StackTask; onClose: () => void }) {
  const from = task.kind === 'create' ? undefined : task.stack
  const edited = task.kind === 'edit' ? from : undefined
  const fields = useSettings()?.stacks?.properties ?? {}
  const { data: types } = useQuery(allTypesQuery)
  const [name, setName] = useState(edited?.name ?? '')
  const [label, setLabel] = useState(edited?.label ?? '')
  const [active, setActive] = useState(edited?.active ?? true)
  const [type, setType] = useState(from?.projectType ?? '')
  const [values, setValues] = useState(() => propertyTexts(fields, from?.properties ?? {}))
  const [left, setLeft] = useState<Record<string, true>>({})
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { mutateAsync, isPending } = useSaveStack(edited?.id, task.kind === 'version' ? from?.id : undefined)
  const isUsed = (edited?.instanceCount ?? 0) > 0
  const faults = propertyFaults(fields, values)
  const nameFault = StackName.safeParse(name).error?.issues[0]?.message
  const ready = !nameFault && type !== '' && (isUsed || Object.keys(faults).length === 0)
  const shown = (key: string, fault: string | undefined) => (left[key] ? fault : undefined)
  const leave = (key: string) => setLeft({ ...left, [key]: true })

  const save = async () => {
    const open = { label, active, ...(edited?.projectType === type ? {} : { projectType: type }) }
    try {
      await mutateAsync(isUsed ? open : { ...open, name, properties: values })
      toast.success(edited ? 'Stack saved.' : 'Stack saved; it is being prepared.')
      onClose()
    } catch (error) {
      const found = fieldFaults(error)
      setRefused(found)
      if (Object.keys(found).length === 0) warn(error)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={titles[task.kind]}
      description={
        task.kind === 'version'
          ? `Replaces ${from?.label || from?.name}, which becomes inactive. Instances that run it can be updated.`
          : isUsed
            ? undefined
            : 'It is downloaded and tested before it can be chosen.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="stack" variant="primary" disabled={!ready} loading={isPending}>
            {edited ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id="stack"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) void save()
        }}
      >
        {isUsed && (
          <Banner kind="info">Instances use this stack: only its label and whether it is active can be changed.</Banner>
        )}
        <FormRow label="Name" error={refused.name ?? shown('name', nameFault)} disabled={isUsed}>
          <Input
            value={name}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onBlur={() => leave('name')}
            onChange={(event) => {
              setName(event.target.value)
              setRefused({})
              if (/[^a-zA-Z0-9\-_/@.]/.test(event.target.value)) leave('name')
            }}
          />
        </FormRow>
        <FormRow label="Label" help="Shown to users. Defaults to the name." error={refused.label}>
          <Input value={label} autoComplete="off" onChange={(event) => setLabel(event.target.value)} />
        </FormRow>
        <Checkbox label="Active" help="Only an active stack can be chosen." checked={active} onChange={setActive} />
        {types?.length === 0 ? (
          <Banner kind="warning">
            No instance types available. Ask an Administrator to create a new instance type definition
          </Banner>
        ) : (
          <FormRow label="Instance type" error={refused.projectType} disabled={from?.projectType !== undefined}>
            <Select
              value={type}
              onChange={setType}
              options={(types ?? []).map(({ id, name: text }) => ({ value: id, label: text }))}
            />
          </FormRow>
        )}
        {Object.entries(fields).map(([key, field]) => (
          <FormRow
            key={key}
            label={field.label}
            help={field.description}
            error={refused[`properties.${key}`] ?? shown(key, faults[key])}
            disabled={isUsed}
          >
            <Input
              className="mono"
              value={values[key] ?? ''}
              autoComplete="off"
              spellCheck={false}
              onBlur={() => leave(key)}
              onChange={(event) => {
                setValues({ ...values, [key]: event.target.value })
                setRefused({})
              }}
            />
          </FormRow>
        ))}
      </form>
    </Dialog>
  )
}
