export { type EditorAuth } from './editor-auth.service.ts'
