import { Plus } from 'lucide-react'
import { useState } from 'react'
import { usePageTitle } from '../../../lib/page-title.ts'
import { Button } from '../../../ui/Button.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { useSettings } from '../../account/index.ts'
import { StackDialog, type StackTask } from '../components/StackDialog.tsx'
import { StackTable } from '../components/StackTable.tsx'

/** Which Node-RED instances run, with which Node.js and how much memory. */
export function StacksPage() {
  usePageTitle('Stacks', 'Admin')
  const fields = useSettings()?.stacks?.properties
  const [task, setTask] = useState<StackTask>()
  return (
    <>
      <PageHeader
        title="Stacks"
        description="Node-RED versions and memory sizes for instances."
        actions={
          <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setTask({ kind: 'create' })}>
            Create stack
          </Button>
        }
      />
      {fields ? (
        <div className="flex flex-col gap-8">
          <StackTable filter="active" fields={fields} onTask={setTask} />
          <StackTable filter="inactive" fields={fields} onTask={setTask} />
        </div>
      ) : (
        <SkeletonCard rows={6} />
      )}
      {task && <StackDialog task={task} onClose={() => setTask(undefined)} />}
    </>
  )
}
