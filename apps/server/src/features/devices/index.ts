export type { EditorGateway } from './editor/editor.gateway.ts'
