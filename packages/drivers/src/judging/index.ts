export { flowsStoppedSentence } from './flows.sentence.ts'
export {
  type Before,
  codesOfStopped,
  concluded,
  FlowsRefused,
  joined,
  judgeStart,
  newFaults,
  refuseFaulty,
  type Verdict,
} from './flows.verdict.ts'
export { takeoverOf } from './takeover.rule.ts'
