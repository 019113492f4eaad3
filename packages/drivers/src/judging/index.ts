export { reconnected } from './connections.ts'
export { flowsStoppedSentence } from './flows.sentence.ts'
export {
  type Before,
  codesOfStopped,
  concluded,
  FlowsRefused,
  type Verdict,
} from './flows.verdict.ts'
export { createJudging, type Judging, type Passes, type Standard } from './judging.ts'
export { type Judged, memberOf, onTrial, serving } from './start.check.ts'
export { statusOfMember, untilStarted, untilStartedBy } from './started.ts'
export { planOf, takeoverOf } from './takeover.rule.ts'
export {
  actAlone,
  type Counts,
  holds,
  judgings,
  notListening,
  takeOver,
  type Tell,
  type Versions,
} from './takeover.run.ts'
