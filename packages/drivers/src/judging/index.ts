export { activityOf } from './flows.activity.ts'
export { flowsStoppedSentence } from './flows.sentence.ts'
export {
  type Before,
  codesOfStopped,
  FlowsRefused,
  joined,
  judgeStart,
  newFaults,
  refuseFaulty,
  type Verdict,
} from './flows.verdict.ts'
export { takeoverOf } from './takeover.rule.ts'
