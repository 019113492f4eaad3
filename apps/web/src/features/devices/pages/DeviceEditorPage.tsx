import { useEffect } from 'react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { useEnterEditor } from '../developer.actions.ts'
import { useCurrentDevice } from '../device-context.ts'

/** Lets a person who is signed in here into the editor of a device, which has a host name of its own. */
export function DeviceEditorPage() {
  const device = useCurrentDevice()
  const { mutate: enter, error } = useEnterEditor(device)
  useEffect(() => enter(), [enter])
  if (error)
    return <PageFailure title="The editor could not be opened" needs="Member" error={error} onRetry={() => enter()} />
  return <Loading message="Opening the editor..." />
}
