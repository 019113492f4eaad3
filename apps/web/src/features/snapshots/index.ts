export { useSetTarget, useSnapshots } from './snapshots.queries.ts'
