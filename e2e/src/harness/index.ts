export { type Visitor, useVisitors } from './browser.ts'
export { isAlive, processesIn } from './homes.ts'
export {
  ask,
  askProcess,
  bringFlows,
  createInstance,
  createOwner,
  createTeam,
  startInstance,
  untilState,
} from './instances.ts'
export { linkIn, useMailbox } from './mailbox.ts'
export { useDevices } from './devices.ts'
export { offersOnly, type Stop } from './crawl.ts'
export { callsOf, momentOf, typeFast, waitedFor, watchText } from './moments.ts'
export type { Person } from './people.ts'
export { admin, type Platform, usePlatform } from './platform.ts'
export { button, field, screens, sees, seesDirection, signInThrough } from './screens.ts'
export { picture } from './picture.ts'
export { faultsOf, screenshots, shot } from './shot.ts'
export { freePort } from '../../../tools/test/free-port.ts'
export { until } from './outside.ts'
export { deployButton, deployInEditor, deploys, editorUser, openEditor, postFlows, visitEditor } from './editor.ts'
export { editByHand, keeps, reconnected, restarted, storedFlows } from './editor-work.ts'
export { helloFlow, hostileFlow } from './flows.ts'
export { openConsole, openTeam, openWorkshop } from './workshop.ts'
export { adjust, adjustSettings, answer } from './stubs.ts'
