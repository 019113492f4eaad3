export { busy } from './instances.busy.ts'
export { secretContext } from './instances.contexts.ts'
export {
  findDeleted,
  listDeleted,
  listExpired,
  type DeletedInstance,
  updateDeleted,
} from './instances.deleted.store.ts'
export { untilDeleted } from './instances.deleted.wait.ts'
export {
  bySystem,
  instanceRef,
  starts,
  type Lifecycle,
  type LifecycleDependencies,
  Operation,
  withoutFlows,
} from './instances.lifecycle.ts'
export type { CopiedInstance } from './instances.feature.ts'
export { asInstalled, changeSettings, rememberInstalled } from './instances.modules.ts'
export type { Deploying } from './instances.routes.ts'
export { countWithoutPort, findByPort, listPorts } from './instances.ports.store.ts'
export { addressesOf } from './instances.running.ts'
export type { Instances, Launch } from './instances.service.ts'
export { findWhole, type TeamReach, type WholeInstance } from './instances.lists.store.ts'
export {
  countTemplateChange,
  findByClient,
  findByName,
  findInstance,
  listAllBrief,
  listSleepers,
  listUnprotected,
  lockInstance,
  touchInstances,
  type BriefInstance,
  type InstanceRow,
  type Sleeper,
  updateInstance,
} from './instances.store.ts'
export {
  instanceEvent,
  instanceSummaryView,
  isUnprotected,
  shownState,
  type Addresses,
  instanceJson,
  type OpenEditors,
} from './instances.view.ts'
