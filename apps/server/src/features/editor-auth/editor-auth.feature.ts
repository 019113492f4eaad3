import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { editorAuthHandlers } from './editor-auth.routes.ts'
import { createEditorAuth, type EditorAuth } from './editor-auth.service.ts'
import { deleteRequestsOf } from './editor-auth.store.ts'
import { type SignInCookie, signInCookie } from './sign-in-cookie.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    signInCookie: SignInCookie
    editorAuth: EditorAuth
  }
}

export const editorAuthFeature = defineFeature({
  name: 'editor-auth',
  provides: {
    signInCookie: ({ secure }) => signInCookie(secure),
    editorAuth: (services) =>
      createEditorAuth(
        also(services, {
          instanceUrl: services.addresses.instanceUrl,
          isActive: async (userId: string) => (await services.accounts.find(userId))?.suspended === 0,
          roleIn: services.applicationMembers.roleIn,
        }),
      ),
  },
  routes: ({ editorAuth, signInCookie: cookie }) => editorAuthHandlers(editorAuth, cookie),
  cookies: ({ signInCookie: cookie }) => [cookie.name],
  hooks: { 'instance.deleted': () => deleteRequestsOf },
  backup: { leaveOut: ['editor_sign_ins'] },
})
