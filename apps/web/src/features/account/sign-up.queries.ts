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

/** Uses the token of a mail, for the address of a new account or a new address; the gates follow [SHELL-43]. */
export function useMailToken(kind: 'account.verifyToken' | 'account.confirmEmailChange') {
  const reload = useReloadUser()
  return useMutation({
    meta: { caught: true },
    mutationFn: async (token: string) => {
      await api.call(kind, { params: { token } })
      await reload()
    },
  })
}

/** Sends the mail with the verification link again. */
export function useResendVerification() {
  return useMutation({ meta: { caught: true }, mutationFn: () => api.call('account.verify') })
}
