import type { Application } from '@app/contract'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { NeedsRole } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { queryOf } from '../../../lib/use-query-state.ts'
import { Field, type FormOf } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Switch } from '../../../ui/Checkbox.tsx'
import { InstanceForm, type InstanceValues, useCreateInstance } from '../../instances/index.ts'
import { useTeam } from '../../teams/index.ts'
import { useCreateApplication } from '../applications.queries.ts'
import { explainApplication, explainInstance } from '../create-failures.ts'

/** A new application, with a first instance unless one wants it empty. */
export function CreateApplicationPage() {
  const team = useTeam()
  usePageTitle('Create Application', team.name)
  const navigate = useNavigate()
  const [withInstance, setWithInstance] = useState(true)
  const { mutateAsync: createApplication } = useCreateApplication()
  const { mutateAsync: createInstance } = useCreateInstance()
  // When only the instance is refused, the next try must not make the application again.
  const made = useRef<Application>(undefined)
  if (!useCan('project:create')) return <NeedsRole least="Owner" />

  async function submit({ application, ...rest }: InstanceValues, form: FormOf<InstanceValues>) {
    try {
      made.current ??= await createApplication({ name: application, teamId: team.id })
    } catch (error) {
      return explainApplication(error)
    }
    const { id } = made.current
    const open = (search: { created?: string }) =>
      navigate({ to: '/application/$applicationId/instances', params: { applicationId: id }, search: queryOf(search) })
    if (!withInstance) return open({})
    try {
      const instance = await createInstance({ ...rest, applicationId: id })
      await open({ created: instance.id })
    } catch (error) {
      explainInstance(error, form)
    }
  }

  return (
    <>
      <PageHeader title="Create Application" description="Applications group the instances that belong together." />
      <InstanceForm
        teamId={team.id}
        kind={withInstance ? 'new application' : 'application alone'}
        submitLabel="Create Application"
        onSubmit={submit}
        onCancel={() => void navigate({ to: '/team/$slug/applications', params: { slug: team.slug } })}
        first={(form) => (
          <>
            <Field form={form} name="application" label="Application name" disabled={made.current !== undefined}>
              {(field) => <Input {...field} autoComplete="off" placeholder="Oven line" />}
            </Field>
            <Switch
              checked={withInstance}
              onChange={setWithInstance}
              label="Also create its first instance"
              help="A separate Node-RED with its own address."
            />
          </>
        )}
      />
    </>
  )
}
