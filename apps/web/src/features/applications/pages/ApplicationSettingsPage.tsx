import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { SideTabs } from '../../../ui/SideTabs.tsx'
import { useCurrentApplication } from '../application-context.ts'
import { useApplicationInstances, useDeleteApplication, useRenameApplication } from '../applications.queries.ts'

/** Name and deletion of an application [APP-33]. */
export function ApplicationSettingsPage() {
  const { id, name } = useCurrentApplication()
  usePageTitle('Application Settings', name)
  const mayDelete = useCan('project:delete')
  return (
    <div className="flex max-w-220 flex-col gap-4">
      <h2 className="text-lg">Application Settings</h2>
      <SideTabs label="Application settings" items={[{ to: `/application/${id}/settings`, label: 'General' }]}>
        <div className="flex flex-col gap-4">
          <Card title="Application Details" padded>
            <div className="flex flex-col gap-5">
              <FormRow label="Application ID" uneditable={{ value: <span className="mono">{id}</span> }} />
              <NameRow key={name} />
            </div>
          </Card>
          {mayDelete && <Deletion />}
        </div>
      </SideTabs>
    </div>
  )
}

/** The name as text, and as a field while it is edited. */
function NameRow() {
  const { id, name } = useCurrentApplication()
  const mayEdit = useCan('project:edit')
  const [edited, setEdited] = useState<string>()
  const { mutate: rename, isPending } = useRenameApplication(id)
  if (edited === undefined) {
    return (
      <div className="flex flex-wrap items-end justify-between gap-3">
        <FormRow label="Name" uneditable={{ value: name }} />
        {mayEdit && <Button onClick={() => setEdited(name)}>Edit Application Name</Button>}
      </div>
    )
  }
  const unchanged = edited.trim() === '' || edited.trim() === name
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!unchanged) rename(edited.trim())
      }}
    >
      <FormRow label="Name">
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just pressed the button to edit it */}
        <Input autoFocus value={edited} onChange={(event) => setEdited(event.target.value)} autoComplete="off" />
      </FormRow>
      <div className="flex gap-3">
        <Button onClick={() => setEdited(undefined)}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={unchanged} loading={isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

function Deletion() {
  const { id, name } = useCurrentApplication()
  const { data } = useApplicationInstances(id)
  const { mutate: remove, isPending } = useDeleteApplication(id)
  const full = data === undefined || data.count > 0
  const ask = async () => {
    const sure = await confirm({
      title: 'Delete Application',
      message: (
        <>
          This deletes <b>{name}</b>. It cannot be undone.
        </>
      ),
      confirmLabel: 'Delete',
      danger: true,
      typed: name,
    })
    if (sure) remove()
  }
  return (
    <Card title="Delete Application" padded>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p className="min-w-60 flex-1 text-muted">
          {full
            ? 'An application with instances cannot be deleted. Delete its instances first.'
            : 'The application has no instances and can be deleted.'}
        </p>
        <Button variant="danger" disabled={full} loading={isPending} onClick={() => void ask()}>
          Delete Application
        </Button>
      </div>
    </Card>
  )
}
