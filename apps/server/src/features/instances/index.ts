export { contextHandlers } from './context.routes.ts'
export { createContext } from './context.service.ts'
export { openCredentials, sealCredentials } from './credentials.ts'
export { compareNodes } from './flows.compare.ts'
export { flowsStoppedSentence } from './flows.sentence.ts'
export { busy } from './instances.busy.ts'
export { createActivity } from './instances.activity.ts'
export { type ContentsService as Contents, createContents } from './instances.contents.ts'
export { deletedHandlers } from './deleted.routes.ts'
export { createDeleted } from './deleted.service.ts'
export { accessContext, secretContext, variableContext } from './instances.contexts.ts'
export { createDirectory, type Destination } from './instances.directory.ts'
export {
  defineLifecycle,
  instanceRef,
  type Lifecycle,
  type LifecycleDependencies,
  type Operation,
  starts,
} from './instances.lifecycle.ts'
export { risen, statusOfMember, up } from './instances.rise.ts'
export { createLogs } from './instances.logs.ts'
export { askStop, clearFormer, findHost, updateHost } from './instances.host.store.ts'
export { activityOf } from './node.types.ts'
export { createOrigin, keepProvenance, Provenance, provenanceHere } from './instances.origin.ts'
export { createHost, type Host, type HostState, type HostTimes } from './instances.host.ts'
export { createProtection } from './instances.protection.ts'
export { createMonitor } from './instances.monitor.ts'
export { type Deploying, instanceHandlers } from './instances.routes.ts'
export { haHandlers } from './ha.routes.ts'
export { createTraffic, type Traffic } from './instances.traffic.ts'
export { createSleep } from './instances.sleep.ts'
export { createInstances, type Instances } from './instances.service.ts'
export {
  findByClient,
  findInstance,
  findWhole,
  type InstanceRow,
  loadInstance,
  lockInstance,
  updateInstance,
  type WholeInstance,
} from './instances.store.ts'
export { type Addresses, instanceEvent, type OpenEditors, instanceSummaryView } from './instances.view.ts'
export { effectiveSettings, platformVariables } from './settings.view.ts'
export { checkModulesOf } from './modules.policy.ts'
export { settingsUpdates } from './settings.change.ts'
export { type FunctionModule, modulesOfFunctions } from './flows.modules.ts'
export { asInstalled, changeSettings, rememberInstalled } from './modules.memory.ts'
export {
  namesIn,
  type Noted,
  settingsForFunctions,
  settingsWithModule,
  settingsWithModules,
} from './settings.modules.ts'
export {
  readContents as readStored,
  readStorage,
  storageContext,
  type StorageKind,
  writeStorage,
} from './storage.store.ts'
export { plainVariables } from './variables.plain.ts'
export { versionHandlers } from './versions.routes.ts'
export { createVersions, type Origin, personOf, prepareFlows, type Versions } from './versions.service.ts'
