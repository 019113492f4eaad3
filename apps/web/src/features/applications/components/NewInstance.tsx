import type { CopyOptions as Options } from '@app/contract'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { queryOf } from '../../../lib/use-query-state.ts'
import type { FormOf } from '../../../ui/Form.tsx'
import { toast } from '../../../ui/toast.ts'
import { InstanceForm, type InstanceValues, useCreateInstance } from '../../instances/index.ts'
import { explainCopy, explainInstance } from '../create-failures.ts'
import { CopyOptions } from './CopyOptions.tsx'

const everything: Options = { flows: true, credentials: true, nodes: true, envVars: true }

/** The form of a new instance; afterwards its application's list shows how far it is [APP-14]. */
export function NewInstance(props: {
  /** Id of the application; '' to choose one in `first`. */
  application: string
  /** The team whose limits count. */
  teamId: string
  first?: (form: FormOf<InstanceValues>) => ReactNode
  /** The instance to copy. */
  source?:
    | { id: string; name: string; projectType: { id: string }; stack: { id: string }; template: { id: string } }
    | undefined
  onCancel: () => void
}) {
  const navigate = useNavigate()
  const { mutateAsync: create } = useCreateInstance()
  const { source, ...form } = props
  const [options, setOptions] = useState(everything)

  async function submit({ application, ...rest }: InstanceValues, form: FormOf<InstanceValues>) {
    try {
      const copy = source ? { sourceProject: { id: source.id, options } } : {}
      const { id } = await create({ ...rest, ...copy, applicationId: application })
      if (source) toast.success('Instance successfully duplicated.')
      await navigate({
        to: '/application/$applicationId/instances',
        params: { applicationId: application },
        search: queryOf({ created: id }),
      })
    } catch (error) {
      if (source) explainCopy(error, form)
      else explainInstance(error, form)
    }
  }
  return (
    <InstanceForm
      {...form}
      {...(source
        ? { like: source, first: () => <CopyOptions source={source.name} value={options} onChange={setOptions} /> }
        : {})}
      kind="instance"
      submitLabel={source ? 'Duplicate Instance' : 'Create Instance'}
      onSubmit={submit}
    />
  )
}
