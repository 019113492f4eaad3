export { EditorButton } from './components/EditorButton.tsx'
export { instancePath } from './locations.ts'
export { FaultList } from './components/FaultList.tsx'
export { InstanceBulkBar } from './components/InstanceBulkBar.tsx'
export { InstanceForm } from './components/InstanceForm.tsx'
export type { InstanceValues } from './components/instance-values.ts'
export { InstanceMenu } from './components/InstanceMenu.tsx'
export { InstanceStatus } from './components/InstanceStatus.tsx'
export { OpenEditorsNotice } from './components/OpenEditorsNotice.tsx'
export { Countdown } from './components/StateNotice.tsx'
export { JobSteps, toStep } from './components/JobSteps.tsx'
export { LastUpdated } from './components/LastUpdated.tsx'
export { priceNote } from './type-choice.ts'
export { stackOptions, stackOptionsOf } from './stack-choice.ts'
export { deletionQuestion } from './components/ActionsMenu.tsx'
export { mayAct } from './action-rights.ts'
export { useCurrentInstance } from './instance-context.ts'
export { useDeletion, useInstanceAction } from './instances.actions.ts'
export type { Action } from './states.ts'
export {
  useCreateInstance,
  useFlowNode,
  useInstance,
  useJobs,
  useListInterval,
  useTeamInstances,
} from './instances.queries.ts'
export { nodeLink, nodeLocation, tabLink } from './node-text.ts'
export { useEditorAddress } from './use-editor-address.ts'
