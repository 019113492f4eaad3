export { signInCookie } from './sign-in-cookie.ts'
export { editorAuthHandlers } from './editor-auth.routes.ts'
export { createEditorAuth, type EditorAuth } from './editor-auth.service.ts'
