import { describeFaults } from '../../conformance.faults.ts'
import { describePair } from '../../conformance.pair.ts'
import { describeDriver } from '../../conformance.ts'
import { openKubernetes } from '../../testing/kubernetes/kubernetes.harness.ts'

describeDriver('kubernetes', () => openKubernetes())
describePair('kubernetes', () => openKubernetes())
describeFaults('kubernetes', () => openKubernetes())
