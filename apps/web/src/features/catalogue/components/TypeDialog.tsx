import type { DriverName, InstanceType } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { toast } from '../../../ui/toast.ts'
import { useSettings } from '../../account/index.ts'
import { allStacksQuery, useSaveType } from '../catalogue.admin.queries.ts'
import { fieldFaults, warn } from '../failures.ts'

const billingFields = [
  { key: 'billingProductId', label: 'Product ID' },
  { key: 'billingPriceId', label: 'Price ID' },
  { key: 'billingDescription', label: 'Price and interval', placeholder: '$10/month' },
] as const
const none = ''
const driverLabels: Record<DriverName, string> = {
  local: 'Processes',
  docker: 'Docker containers',
  swarm: 'Docker Swarm services',
  kubernetes: 'Kubernetes pods',
}

/** Makes or changes an instance type [ATYPE-06]; mounted while it is open. */
export function TypeDialog({ type, onClose }: { type: InstanceType | undefined; onClose: () => void }) {
  const [name, setName] = useState(type?.name ?? '')
  const [active, setActive] = useState(type?.active ?? true)
  const [description, setDescription] = useState(type?.description ?? '')
  const [order, setOrder] = useState(String(type?.order ?? 1))
  const [usual, setUsual] = useState(type?.defaultStack ?? none)
  const [driver, setDriver] = useState<DriverName | ''>(type?.driver ?? none)
  const [billing, setBilling] = useState(type?.properties ?? {})
  const [faults, setFaults] = useState<Record<string, string>>({})
  const { data: stacks = [] } = useQuery(allStacksQuery)
  const { mutateAsync, isPending } = useSaveType(type?.id)
  const settings = useSettings()
  const hasBilling = settings?.features.billing === true
  const offers = settings?.['driver:offers']
  const isUsed = (type?.instanceCount ?? 0) > 0
  const number = /^-?\d+$/.test(order.trim()) ? Number(order) : undefined
  const own = stacks.filter((stack) => type !== undefined && stack.projectType === type.id && stack.active)

  const save = async () => {
    const values = { name, active, description, order: number ?? 1 }
    try {
      await mutateAsync({
        ...values,
        ...(type && usual !== (type.defaultStack ?? none) ? { defaultStack: usual === none ? null : usual } : {}),
        ...(offers && { driver: driver === none ? null : driver }),
        ...(hasBilling && !isUsed ? { properties: billing } : {}),
      })
      toast.success(type ? 'Instance type saved.' : 'Instance type created.')
      onClose()
    } catch (error) {
      const found = fieldFaults(error)
      setFaults(found)
      if (Object.keys(found).length === 0) warn(error)
    }
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={type ? 'Edit instance type' : 'Create instance type'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form="instance-type"
            variant="primary"
            disabled={name.trim() === '' || number === undefined}
            loading={isPending}
          >
            {type ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <form
        id="instance-type"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <FormRow label="Name" error={faults.name}>
          <Input
            value={name}
            autoComplete="off"
            onChange={(event) => {
              setName(event.target.value)
              setFaults({})
            }}
          />
        </FormRow>
        <Checkbox
          label="Active"
          help="Only an active type can be chosen for a new instance."
          checked={active}
          onChange={setActive}
        />
        <FormRow label="Description" help="Markdown: **bold**, *italic*, lists and links." error={faults.description}>
          <Textarea rows={4} value={description} onChange={(event) => setDescription(event.target.value)} />
        </FormRow>
        <FormRow
          label="Order"
          help="The lowest comes first."
          error={number === undefined ? 'Must be a whole number' : faults.order}
        >
          <Input
            className="w-30"
            inputMode="numeric"
            value={order}
            onChange={(event) => setOrder(event.target.value)}
          />
        </FormRow>
        {type && (
          <FormRow
            label="Default stack"
            help="New instances of this type use it unless another stack is chosen."
            error={faults.defaultStack}
          >
            <Select
              value={usual}
              onChange={setUsual}
              options={[
                { value: none, label: 'none' },
                ...own.map(({ id, name: stack, label }) => ({ value: id, label: label || stack })),
              ]}
            />
          </FormRow>
        )}
        {offers && (
          <FormRow
            label="Instances run as"
            help="Instances that run now change with their next start."
            error={faults.driver}
          >
            <Select
              value={driver}
              onChange={(value) => setDriver(value as DriverName | '')}
              options={[
                { value: none, label: `${driverLabels[offers[0]!]} (default)` },
                ...offers.slice(1).map((name) => ({ value: name, label: driverLabels[name] })),
              ]}
            />
          </FormRow>
        )}
        {hasBilling &&
          billingFields.map(({ key, label, ...more }) => (
            <FormRow key={key} label={label} disabled={isUsed}>
              <Input
                {...more}
                value={billing[key] ?? ''}
                onChange={(event) => setBilling({ ...billing, [key]: event.target.value })}
              />
            </FormRow>
          ))}
      </form>
    </Dialog>
  )
}
