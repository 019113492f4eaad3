import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FormOf } from '../../../ui/Form.tsx'
import { InstanceForm, type InstanceValues, useCreateInstance } from '../../instances/index.ts'
import { explainInstance } from '../create-failures.ts'

/** The form of a new instance; afterwards its application's list shows how far it is [APP-14]. */
export function NewInstance(props: {
  /** Id of the application; '' to choose one in `first`. */
  application: string
  first?: (form: FormOf<InstanceValues>) => ReactNode
  onCancel: () => void
}) {
  const navigate = useNavigate()
  const { mutateAsync: create } = useCreateInstance()

  async function submit({ application, ...rest }: InstanceValues, form: FormOf<InstanceValues>) {
    try {
      const { id } = await create({ ...rest, applicationId: application })
      await navigate({
        to: '/application/$applicationId/instances',
        params: { applicationId: application },
        search: { created: id } as never,
      })
    } catch (error) {
      explainInstance(error, form)
    }
  }
  return <InstanceForm {...props} kind="instance" submitLabel="Create Instance" onSubmit={submit} />
}
