export { createPersonalTokens } from './personal-tokens.service.ts'
export { tokenHandlers } from './tokens.routes.ts'
export { createTokens, editorTokenSeconds, editorTokenSweep, type EditorGrant, type Tokens } from './tokens.service.ts'
