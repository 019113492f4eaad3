export { createTokens, editorTokenSeconds, type EditorGrant, type Tokens } from './tokens.service.ts'
