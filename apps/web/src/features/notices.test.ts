import { expect, test } from 'vitest'
import { ApiError } from '../lib/api.ts'
import { createQueryClient } from '../lib/api-query.ts'
import { toasts } from '../ui/toast.ts'
import { clearToastsBeforeEach } from '../ui/testing/toasts.ts'
import { savedToasts } from './account/profile.ts'
import { tellTermsRenewed, warnOfSettings } from './settings/settings.queries.ts'
import { warnOfChange } from './users/user-forms.ts'
import { explainApplication, explainInstance, explainKept } from './applications/create-failures.ts'
import { variableNotices, warnOfDevice } from './devices/index.ts'
import { notices } from './instance-settings/notices.ts'
import { tellLogFailure } from './logs/use-log-tail.ts'

clearToastsBeforeEach()
const shown = () => toasts.current().map(({ kind, message, countdown }) => [kind, message, countdown])

test('[DEV-17] [DEV-19] [AUSER-29] [CONST-02] [CONST-05] what could not be done with a device or a user is told for 7.5 s', () => {
  warnOfDevice('create', 'No room')
  warnOfDevice('delete', 'Not now')
  warnOfChange('It broke: The disk is full')
  expect(shown()).toEqual([
    ['warning', 'Failed to create device: No room', 7500],
    ['warning', 'Failed to delete device: Not now', 7500],
    ['warning', 'It broke: The disk is full', 7500],
  ])
})

test('[CONST-08] of the variables of a device it is told for 6 s that they were saved, or were not', () => {
  variableNotices.saved()
  variableNotices.notSaved('The server is away')
  expect(shown()).toEqual([
    ['success', 'Device settings successfully updated.', 6000],
    ['warning', 'Device settings were not saved.', 6000],
  ])
})

test('[APP-24] an application that stays says so without a reason too', () => {
  explainKept(undefined)
  expect(shown()).toEqual([['warning', 'Application failed to delete', 10_000]])
})

test('[CONST-06] [INST-45] [ISET-10] what was saved is told for 6 s, and for 3.5 s that no instance is selected', () => {
  notices.saved()
  notices.noInstance()
  expect(shown()).toEqual([
    [
      'success',
      'Instance settings successfully updated. NOTE: changes will be applied once the instance is restarted.',
      6000,
    ],
    ['warning', 'No instance is selected. Try refreshing your browser and try again', 3500],
  ])
})

test('[NRLOG-09] [NRLOG-10] a log that cannot be read is told for 4.5 s, unless the platform failed or the instance is suspended', () => {
  tellLogFailure(new ApiError(500, {}))
  tellLogFailure(new ApiError(400, { code: 'project_suspended' }))
  expect(shown()).toEqual([])
  tellLogFailure(new ApiError(503, {}))
  const text = 'The Node-RED instance cannot be reached at this time. Please wait...'
  expect(shown()).toEqual([['warning', text, 4500]])
})

test('[CONST-02] settings that were not saved are told of for 7.5 s', () => {
  warnOfSettings('The disk is full')
  expect(shown()).toEqual([['warning', 'Something went wrong: The disk is full', 7500]])
})

test('[TCS-08] renewed terms are told of for 5 s', () => {
  tellTermsRenewed()
  expect(shown()).toEqual([['success', 'Terms and Conditions update success', 5000]])
})

test('[CONST-07] [CONST-08] [INST-61] each warning stands as long as was chosen for it: 6, 7.5 or 10 s', async () => {
  const refused = new ApiError(400, { code: 'invalid_stack', message: 'No such stack' })
  notices.notSaved('The server is away')
  explainInstance(refused, {} as never)
  explainApplication(refused)
  explainKept('it has instances')
  const broken = new ApiError(500, { code: 'unexpected_error', message: 'Something went wrong' })
  const client = createQueryClient()
  // A page that was read before and cannot be read again.
  client.setQueryData(['x'], 'as it was')
  await client
    .fetchQuery({ queryKey: ['x'], queryFn: () => Promise.reject(broken), retry: false, staleTime: 0 })
    .catch(() => undefined)
  expect(shown()).toEqual([
    ['warning', 'Instance settings were not saved.', 6000],
    ['warning', 'Failed to create instance: No such stack', 7500],
    ['warning', 'Failed to create application: No such stack', 7500],
    ['warning', 'Application failed to delete: it has instances', 10_000],
    ['warning', 'Something went wrong', 7500],
  ])
  expect(savedToasts({ email: 'new@example.com' }, { pendingEmailChange: true })).toEqual([
    { kind: 'info', message: 'Check your inbox for a link to verify your new Email Address.', countdown: 7000 },
  ])
})
