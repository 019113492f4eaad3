import { describeFaults } from '../../conformance.faults.ts'
import { describePair } from '../../conformance.pair.ts'
import { describeDriver } from '../../conformance.ts'
import { openCluster } from '../../testing/kubernetes/cluster.harness.ts'

/*
 * On a real cluster, which `npm test -- kubernetes` asks for: see docs/kubernetes.md.
 */
describeDriver('kubernetes', openCluster)
describePair('kubernetes', openCluster)
describeFaults('kubernetes', openCluster)
