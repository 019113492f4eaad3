import { useState } from 'react'
import * as z from 'zod/mini'
import { Checkbox, Switch } from '../ui/Checkbox.tsx'
import { Combobox } from '../ui/Combobox.tsx'
import { FileInput } from '../ui/FileInput.tsx'
import { Field, Form, FormError, setFieldErrors, SubmitButton, useZodForm } from '../ui/Form.tsx'
import { FormRow } from '../ui/FormRow.tsx'
import { Input, SearchInput, Textarea } from '../ui/Input.tsx'
import { PasswordInput } from '../ui/PasswordInput.tsx'
import { QrCode } from '../ui/QrCode.tsx'
import { RadioTiles } from '../ui/RadioTiles.tsx'
import { Select } from '../ui/Select.tsx'
import { Shelf } from './parts.tsx'

const stacks = [
  { value: '5.0', label: 'Node-RED 5.0', note: '5.0.7' },
  { value: '4.1', label: 'Node-RED 4.1', note: '4.1.15' },
  { value: '3.1', label: 'Node-RED 3.1', note: 'no longer offered', disabled: true },
]
const lines = [
  { value: 'a', label: 'Ovens', note: 'Bakery' },
  { value: 'b', label: 'Ovens', note: 'Kitchen' },
]
const zones = [
  'Africa/Accra',
  'America/Lima',
  'Asia/Tokyo',
  'Europe/Berlin',
  'Europe/London',
  'Pacific/Auckland',
  'UTC',
]
const sizes = [
  { value: 's', title: 'Small', note: 'free', description: '128 MB, for trying things' },
  { value: 'm', title: 'Medium', note: '$15 / month', description: '256 MB, one busy line' },
  {
    value: 'l',
    title: 'Large',
    note: '$40 / month · 3 of 3 used',
    description: '1 GB, dashboards and history',
    disabled: true,
  },
]

export function Fields() {
  const [text, setText] = useState('oven')
  const [stack, setStack] = useState('5.0')
  const [zone, setZone] = useState<string>()
  const [line, setLine] = useState<string>()
  const [size, setSize] = useState('m')
  const [on, setOn] = useState(true)
  return (
    <>
      <Shelf name="Form row">
        <FormRow label="Instance name" help="Its name is its address and can't be changed later.">
          <Input defaultValue="oven-line" />
        </FormRow>
        <FormRow label="Instance name" error="Names must only include a→z, A→Z, -, 0→9 and can not start with 0→9">
          <Input defaultValue="9-oven" />
        </FormRow>
        <FormRow label="Disabled" disabled>
          <Input defaultValue="oven-line" />
        </FormRow>
        <FormRow label="Team ID" uneditable={{ value: <span className="mono">b4ker1</span> }} />
        <FormRow label="Description" uneditable={{ value: '' }} />
        <FormRow label="Password">
          <PasswordInput defaultValue="correct horse" autoComplete="off" />
        </FormRow>
        <FormRow label="Notes">
          <Textarea placeholder="What is this for?" />
        </FormRow>
        <FormRow label="Backup">
          <FileInput accept=".forge" />
        </FormRow>
        <SearchInput label="Search Instances..." value={text} onChange={setText} note="14 matches" />
      </Shelf>
      <Shelf name="Select and combobox">
        <FormRow label="Stack" help="Settings marked with a lock in the template can't be changed in the instance.">
          <Select value={stack} onChange={setStack} options={stacks} />
        </FormRow>
        <FormRow label="Template" error="Choose a template">
          <Select value={undefined} onChange={() => {}} options={stacks} placeholder="Choose a template" />
        </FormRow>
        <FormRow label="Disabled" disabled>
          <Select value={stack} onChange={setStack} options={stacks} />
        </FormRow>
        <FormRow label="Time zone">
          <Combobox value={zone} onChange={setZone} options={zones.map((value) => ({ value, label: value }))} />
        </FormRow>
        <FormRow label="Application">
          <Combobox value={line} onChange={setLine} options={lines} />
        </FormRow>
      </Shelf>
      <Shelf name="Radio tiles">
        <FormRow label="Instance type" group>
          <RadioTiles value={size} onChange={setSize} tiles={sizes} />
        </FormRow>
      </Shelf>
      <Shelf name="Checkbox and switch">
        <Checkbox checked={on} onChange={setOn} label="Allow users to sign up" help="On the login screen." />
        <Checkbox checked={!on} onChange={(next) => setOn(!next)} label="Not checked" />
        <Checkbox checked={false} mixed onChange={() => {}} label="Some of them" />
        <Checkbox checked disabled onChange={() => {}} label="Disabled" />
        <Switch checked={on} onChange={setOn} label="Developer mode" help="Takes effect at once." />
        <Switch checked={!on} onChange={(next) => setOn(!next)} label="Off" />
        <Switch checked disabled onChange={() => {}} label="Disabled" />
      </Shelf>
      <Shelf name="QR code">
        <QrCode text="otpauth://totp/FlowForge:alice?secret=GEZDGNBVGY3TQOJQ" label="Picture of a secret" />
      </Shelf>
      <Shelf name="Form">
        <ExampleForm />
      </Shelf>
    </>
  )
}

const schema = z.object({
  name: z.string().check(z.regex(/^[a-z][a-z0-9-]*$/i, 'Only letters, digits and hyphens, a letter first')),
  size: z.string().check(z.minLength(1, 'Choose a size')),
})

function ExampleForm() {
  const form = useZodForm(schema, { defaultValues: { name: '', size: '' } })
  const submit = async () => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    setFieldErrors(form, { name: 'This name is taken', other: 'The server refuses, and no field is to blame.' })
  }
  return (
    <Form form={form} onSubmit={submit}>
      <Field form={form} name="name" label="Name">
        {(field) => <Input {...field} />}
      </Field>
      <Field form={form} name="size" label="Size" group>
        {(field) => <RadioTiles {...field} tiles={sizes} />}
      </Field>
      <FormError form={form} />
      <SubmitButton form={form} className="self-start">
        Create instance
      </SubmitButton>
    </Form>
  )
}
