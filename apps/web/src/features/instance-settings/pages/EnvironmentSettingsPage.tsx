import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { VariablesForm } from '../components/VariablesForm.tsx'
import { useSaveSettings } from '../settings.queries.ts'

/** The environment variables of an instance. */
export function EnvironmentSettingsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Environment', instance.name)
  const { mutateAsync: save, isPending } = useSaveSettings(instance.id)
  return (
    <VariablesForm
      env={instance.settings.env ?? []}
      mayEdit={useCan('project:edit-env')}
      saving={isPending}
      onSave={async (env) => (await save({ env })).ok}
    />
  )
}
