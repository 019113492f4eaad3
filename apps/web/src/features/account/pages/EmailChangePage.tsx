import { useParams } from '@tanstack/react-router'
import { NetworkError, sentenceOf } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useOnce } from '../../../lib/use-once.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { ButtonLink } from '../../../ui/Button.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { warnOfLink } from '../refusals.ts'
import { useUser } from '../user-context.ts'
import { useConfirmEmail } from '../sign-up.queries.ts'

/** The link in the mail to a new address leads here, to whoever is signed in. */
export function EmailChangePage() {
  const { token } = useParams({ from: '/account/email_change/$token' })
  const { email } = useUser()
  const { mutate: change, isSuccess, isError } = useConfirmEmail()
  usePageTitle('Confirm e-mail')
  useOnce(() =>
    change(token, {
      onError: (failure) => failure instanceof NetworkError || warnOfLink('confirm new email', sentenceOf(failure)),
    }),
  )
  if (!isSuccess && !isError) {
    return (
      <BoxedLayout title="Confirm your new e-mail address">
        <Loading message="Confirming your new e-mail address" />
      </BoxedLayout>
    )
  }
  return (
    <BoxedLayout title={isSuccess ? 'Your e-mail address is changed' : 'This link did not work'}>
      <p className="-mt-3 text-muted">
        {isSuccess ? (
          <>
            Mail now goes to <b className="font-medium wrap-anywhere text-ink">{email}</b>.
          </>
        ) : (
          'A link works once, for the account that requested it. Request a new one in your settings.'
        )}
      </p>
      <ButtonLink to="/account/settings" variant="primary">
        {isSuccess ? 'Continue' : 'Go to your settings'}
      </ButtonLink>
    </BoxedLayout>
  )
}
