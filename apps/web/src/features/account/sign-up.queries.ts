import type { BodyIn, Routes } from '@app/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { useReloadUser } from './session.queries.ts'

export type SignUpBody = BodyIn<Routes['account.register']>

/** Makes an account. It does not sign in: the address is verified first. */
export function useSignUp() {
  return useMutation({
    meta: { caught: true },
    mutationFn: (body: SignUpBody) => api.call('account.register', { body }),
  })
}

/** Asks for a mail with a link to choose a new password. */
export function useForgotPassword() {
  return useMutation({
    meta: { caught: true },
    mutationFn: (email: string) => api.call('account.forgotPassword', { body: { email } }),
  })
}

/** Chooses a new password with the token of such a mail. */
export function useResetPassword(token: string) {
  return useMutation({
    meta: { caught: true },
    mutationFn: (password: string) => api.call('account.resetPassword', { params: { token }, body: { password } }),
  })
}

/** Uses the token of the mail to a new account, with the password where nobody is signed in; the gates follow [SHELL-43]. */
export function useVerify() {
  const reload = useReloadUser()
  return useMutation({
    meta: { caught: true },
    mutationFn: async ({ token, password }: { token: string; password?: string }) => {
      await api.call('account.verifyToken', { params: { token }, body: password === undefined ? {} : { password } })
      await reload()
    },
  })
}

/** Uses the token of the mail to a new address. */
export function useConfirmEmail() {
  const reload = useReloadUser()
  return useMutation({
    meta: { caught: true },
    mutationFn: async (token: string) => {
      await api.call('account.confirmEmailChange', { params: { token } })
      await reload()
    },
  })
}

/** Sends the mail with the verification link again. */
export function useResendVerification() {
  return useMutation({ meta: { caught: true }, mutationFn: () => api.call('account.verify') })
}
