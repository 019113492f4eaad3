export { keepProvenance, provenanceHere, Provenance } from './hosting.origin.ts'
export { type Host, type HostState } from './hosting.service.ts'
export { askStop, clearFormer, findHost, updateHost } from './hosting.store.ts'
